"""Code that loops, aborts or raises gives one sentence, and the next run works."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradviz.viewer.session.run_controller import RunController
from tests.gui.conftest import WindowDriver

FILES = Path(__file__).parents[1] / "data" / "hostile"


@pytest.mark.quick
def test_a_loop_is_cancelled_and_the_next_run_works(driver: WindowDriver) -> None:
    driver.start()
    driver.window.parts[RunController].open_path(FILES / "loop.py")
    driver.qtbot.waitUntil(lambda: driver.session.activity == "running")
    driver.window.commands.stop.trigger()
    driver.wait()
    assert "ancel" in driver.window.messages.text
    driver.window.start([])
    driver.wait()
    assert driver.state.count == 8
    assert driver.window.messages.text == ""


@pytest.mark.parametrize("time_limit_s", [2.5])
def test_a_loop_is_stopped_at_its_time_limit(driver: WindowDriver) -> None:
    driver.start()
    driver.window.parts[RunController].open_path(FILES / "loop.py")
    driver.qtbot.waitUntil(lambda: driver.session.activity == "running")
    driver.wait()
    assert "loop.py" in driver.window.messages.text
    index = driver.state.index
    assert index is not None
    assert index.trace.origin.subject.endswith("loop.py:Loop")
    assert any("before the loop" in text.text for text in index.trace.console)
    outcome = index.trace.outcome
    assert outcome is not None
    assert outcome.kind == "stopped"
    assert outcome.message.startswith("Stopped at the time limit of 2.5 s")


def test_an_abort_leaves_what_was_recorded(driver: WindowDriver) -> None:
    driver.start()
    driver.window.parts[RunController].open_path(FILES / "process_exits.py")
    driver.wait()
    offers = driver.window.library
    listed = [each for each in offers.entries() if each.path is not None]
    assert len(listed) > 1
    for entry in listed:
        offers.pick(entry)
        driver.wait()
        assert driver.window.messages.text, entry.row.texts[0]
        assert driver.window.isVisible()
    driver.window.start([])
    driver.wait()
    assert driver.state.count == 8


def test_a_run_that_changes_its_own_trace_shows_what_was_kept(driver: WindowDriver) -> None:
    driver.start()
    driver.window.parts[RunController].open_path(FILES / "trace_changes.py")
    driver.wait()
    assert "code or another process changed the trace file" in driver.window.messages.text
    assert driver.state.count == 5


@pytest.mark.quick
def test_an_exception_goes_to_the_step_that_raised(driver: WindowDriver) -> None:
    driver.start()
    driver.window.parts[RunController].open_path(FILES / "exceptions.py")
    driver.wait()
    assert driver.window.messages.text
    assert driver.state.number == driver.state.count > 0


def test_a_file_that_is_not_there_or_unknown_gets_a_sentence(
    driver: WindowDriver, tmp_path: Path
) -> None:
    driver.start()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.py")
        driver.window.parts[RunController].open_path(tmp_path / "pipe.py")
        assert driver.window.messages.text == "pipe.py is a pipe or device, not a regular file."
    for name in ("missing.py", "missing.gradviz", "notes.txt"):
        driver.window.parts[RunController].open_path(tmp_path / name)
        driver.wait()
        assert name in driver.window.messages.text
        assert driver.state.count == 8

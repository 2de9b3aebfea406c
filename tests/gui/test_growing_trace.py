"""The window follows a trace that another process is still recording."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from gradviz.model.pass_numbers import PassNumbers
from gradviz.store.output import finish_output
from gradviz.store.writer import TraceWriter
from gradviz.viewer.session.trace_follower import TraceFollower
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, write_records
from tests.gui.conftest import WindowDriver


@pytest.mark.quick
@pytest.mark.parametrize("rows_before", [0, 1_000], ids=["second process", "run"])
def test_a_growing_trace_is_followed_to_its_end(
    rows_before: int, driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradviz.store.writer._ROWS_BEFORE", rows_before)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    whole, path = linear_trace(), tmp_path / "run.gradviz"
    early = replace(whole, steps=whole.steps[:5], outcome=None)
    state, follower = driver.state, driver.window.parts[TraceFollower]
    status = driver.window.parts[WindowStatusBar]
    writer = TraceWriter(path, ORIGIN)
    write_records(writer, early, LINEAR_TENSORS)
    writer.flush()

    def wait_for(count: int) -> None:
        driver.qtbot.waitUntil(lambda: state.count == count)

    driver.session.open(path)
    wait_for(5)
    assert follower.is_following
    assert "Recording is in progress: 5 steps" in status.facts.toolTip()
    # The place is kept.
    state.go_to(2)
    writer.put(whole.steps[5])
    writer.flush()
    wait_for(6)
    assert state.number == 2
    assert "Recording is in progress: 6 steps" in status.facts.toolTip()
    # Curves grow with passes that are not recorded.
    numbers = PassNumbers(first=1, losses=(0.5, 0.25), names=(), norms=(), lines=(1,))
    writer.put_pass_numbers(numbers)
    driver.qtbot.waitUntil(lambda: state.index is not None and state.index.trace.numbers != ())
    # At the last step, new ones are followed.
    state.last_step()
    for step in whole.steps[6:]:
        writer.put(step)
    writer.flush()
    wait_for(8)
    assert state.number == 8
    # The recording can end while the window has its trace open.
    assert whole.outcome is not None
    writer.put_outcome(whole.outcome)
    writer.close()
    assert finish_output(path, path)
    driver.qtbot.waitUntil(lambda: not follower.is_following)
    assert state.number == 8
    assert "Recording" not in status.facts.toolTip()
    assert driver.window.messages.text == "The recording is complete: 8 steps."
    driver.wait()

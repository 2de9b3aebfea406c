"""Links to a step: copied from the window, and opened by the command line."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.view_target import ViewTarget, view_command
from gradviz.cli.parser import make_parser
from gradviz.cli.subject import find_offer
from gradviz.model.inputs import RunSubject
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.window.top_bar import TABS
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver


def test_a_copied_link_shows_the_same_step_again(driver: WindowDriver, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "a run.gradviz", linear_trace())
    commands, top = driver.window.commands, driver.window.top
    assert not commands.copy_link.isEnabled()
    driver.window.start([], ViewTarget(trace=str(path), step="4", tab="jacobians"))
    driver.wait()
    assert driver.state.number == 4
    assert TABS[top.tabs.currentIndex()] == "jacobians"
    commands.copy_link.trigger()
    link = QGuiApplication.clipboard().text()
    assert link == f"gradviz view '{path}' --step 4 --tab jacobians"
    assert link in driver.window.messages.text
    arguments = make_parser().parse(shlex.split(link)[1:])
    assert (arguments.subject, arguments.step, arguments.tab) == (str(path), 4, "jacobians")


@pytest.mark.quick
def test_a_link_to_a_scene_runs_it_and_goes_to_the_place(driver: WindowDriver) -> None:
    target = ViewTarget(scene="exp", step="3/backward")
    driver.window.start([], target)
    driver.wait()
    assert driver.state.place is not None
    assert position_path(driver.state.place) == "3/backward"
    driver.window.commands.copy_link.trigger()
    assert QGuiApplication.clipboard().text() == view_command(
        ViewTarget(scene="exp", step="3/backward", tab="graph")
    )


def test_an_entry_of_a_file_runs_and_is_listed_with_the_others(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "own.py"
    names = ("First", "Second")
    path.write_text(
        "import torch\n"
        + "".join(
            f"class {name}(torch.autograd.Function):\n"
            "    forward = staticmethod(lambda ctx, x: x * 2)\n"
            "    backward = staticmethod(lambda ctx, grad: grad * 2)\n"
            for name in names
        )
        + 'EXAMPLES = {"Second": {"x": torch.ones(2, requires_grad=True)}}\n'
    )
    driver.window.start([], ViewTarget(offer=find_offer(f"{path}:Second"), step="2"))
    driver.wait()
    index = driver.state.index
    assert index is not None
    assert index.trace.origin.subject == "own.py:Second"
    assert driver.state.number == 2
    subjects = [RunSubject(path=str(path), name=each) for each in names]
    listed = [driver.window.parts[LibraryPanel].offer_of(each) for each in subjects]
    assert [each.is_declared for each in listed if each is not None] == [False, True]

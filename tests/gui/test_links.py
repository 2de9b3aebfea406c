"""Links to a step: copied from the window, and opened by the command line."""

from __future__ import annotations

import shlex
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.view_target import ViewTarget, view_command
from gradviz.cli.parser import make_parser
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

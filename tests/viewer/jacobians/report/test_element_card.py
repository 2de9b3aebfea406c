"""Clicking an element explains it; the worst are listed; all by keyboard too."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.state import ViewerState
from tests.viewer.column_texts import column_texts
from tests.viewer.jacobians.panel_reports import (
    cells_across,
    lonely_reader,
    maps,
    reader_of,
    rich_reader,
    settle,
)
from tests.viewer.traces import inside_reader


@pytest.fixture
def panel(panel: JacobiansPanel, state: ViewerState) -> JacobiansPanel:
    state.show(rich_reader())
    settle()
    return panel


def place(panel: JacobiansPanel, which: int, cell: tuple[int, int]) -> QPoint:
    return maps(panel).plots[which].place_of(*cell).toPoint()


def move(qtbot: QtBot, panel: JacobiansPanel, which: int, cell: tuple[int, int]) -> None:
    # Moves that follow each other within a hundredth of a second count as one.
    qtbot.wait(20)
    qtbot.mouseMove(maps(panel).plots[which], place(panel, which, cell))
    settle()


def click(qtbot: QtBot, panel: JacobiansPanel, which: int, cell: tuple[int, int]) -> None:
    move(qtbot, panel, which, cell)
    viewport = maps(panel).plots[which]
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place(panel, which, cell))
    settle()


def test_a_click_shows_how_both_values_were_computed(panel: JacobiansPanel, qtbot: QtBot) -> None:
    click(qtbot, panel, 0, (3, 0))
    told = "\n".join(panel.findings.element.texts)
    for text in (
        "∂ output[0, 0] / ∂ weight[1, 0]",
        "990.1 times the tolerance",
        "numerical 1.0",
        "analytical 2.0",
        "difference 1.0",
        "allowed 0.00101",
        "forward uses input[0, 1], backward uses input[1, 0]",
        "weight[1, 0] was changed by ±1e-06, which changed output[0, 0] by 2e-06. Divided "
        "by 2e-06, this is 1.",
        "Backward received a grad_output of 1 at output[0, 0] and 0 elsewhere. The "
        "gradient of weight that it returned is 2 at [1, 0].",
        "Row 3: the effect of weight[1, 0] on each element of output.",
    ):
        assert text in told


def test_a_clicked_element_stays_until_it_is_let_go(panel: JacobiansPanel, qtbot: QtBot) -> None:
    view = maps(panel)
    click(qtbot, panel, 1, (4, 1))
    assert view.pinned
    move(qtbot, panel, 2, (0, 0))
    assert view.cursor_cell == (4, 1)
    click(qtbot, panel, 1, (4, 1))
    assert not view.pinned
    move(qtbot, panel, 2, (0, 0))
    assert view.cursor_cell == (0, 0)


def test_the_keyboard_explains_and_lets_go(panel: JacobiansPanel, qtbot: QtBot) -> None:
    view = maps(panel)
    widget = view.plots[0]
    qtbot.keyClick(widget, Qt.Key.Key_Down)
    qtbot.keyClick(widget, Qt.Key.Key_Return)
    assert (view.cursor_cell, view.pinned) == ((4, 0), True)
    assert "weight[1, 1]" in panel.findings.element.accessibleDescription()
    assert "weight[1, 1]" in widget.accessibleDescription()
    qtbot.keyClick(widget, Qt.Key.Key_Escape)
    assert not view.pinned


def test_the_worst_are_listed_and_gone_to(panel: JacobiansPanel, qtbot: QtBot) -> None:
    worst = panel.findings.worst
    assert not worst.isVisible()
    headers = panel.findings.findChildren(QToolButton)
    next(each for each in headers if each.text() == "Worst elements").click()
    settle()
    assert worst.rows.rowCount() == 6
    assert column_texts(worst, 0)[0] == (
        "990.1×   ∂ output[0, 0] / ∂ weight[1, 0]\nnumerical 1, analytical 2"
    )
    assert worst.currentIndex().row() == 0
    at = worst.visualRect(worst.rows.index(3, 0)).center()
    qtbot.mouseClick(worst.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert maps(panel).cursor_cell == (0, 3)
    qtbot.keyClick(worst, Qt.Key.Key_Down)
    assert maps(panel).cursor_cell == (1, 4)


def test_the_list_is_copied_as_a_table(panel: JacobiansPanel, qtbot: QtBot) -> None:
    qtbot.keyClick(panel.findings.worst, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0].split("\t")[:4] == ["input", "output", "numerical", "analytical"]
    assert lines[1].split("\t") == ["weight[1, 0]", "output[0, 0]", "1.0", "2.0", "1.0", "990.099"]
    assert len(lines) == 7


def test_a_far_element_is_enlarged(panel: JacobiansPanel, state: ViewerState, qtbot: QtBot) -> None:
    state.show(lonely_reader(400, (123, 345)))
    settle()
    view = maps(panel)
    qtbot.mouseClick(view.foot.buttons[1], Qt.MouseButton.LeftButton)
    assert view.pinned
    for plot in view.plots:
        assert cells_across(plot) < 20
        assert plot.rect().contains(plot.place_of(123, 345).toPoint())


def test_a_line_that_is_not_the_marked_one_is_told_from_it(
    panel: JacobiansPanel, state: ViewerState
) -> None:
    assert state.index is not None
    (report,) = state.index.trace.reports
    (diagnosis,) = report.diagnoses
    named = replace(diagnosis, message="It is wrong (linear.py, line 9).")
    matrices = {number: np.ones((4, 6)) for number in range(22, 28)}
    state.show(reader_of(replace(report, diagnoses=(named,)), matrices))
    settle()
    passage = panel.findings.code.passage
    assert passage is not None
    assert passage.marked == {9}
    assert [button.text() for button in panel.findings.lines] == ["Last computed in line 10"]


def test_a_line_of_backward_is_gone_to(
    panel: JacobiansPanel, state: ViewerState, qtbot: QtBot
) -> None:
    (button,) = panel.findings.lines
    assert button.text() == "Computed in line 10"
    with qtbot.waitSignal(panel.source_requested):
        button.click()
    assert state.place is not None
    assert (state.place.step, state.place.stage) == (5, "backward")


def test_a_line_that_was_recorded_is_gone_to_itself(state: ViewerState) -> None:
    from gradviz.viewer.jacobians.panel import place_of_line

    state.show(inside_reader())
    assert state.index is not None
    part = next(
        part
        for step in range(1, state.count + 1)
        for part in getattr(state.index.inside.get(step), "parts", ())
        if part.stage == "backward" and part.lines
    )
    last = part.lines[-1]
    place = place_of_line(state.index, last.location)
    assert place is not None
    assert place.stage == "backward"
    assert part.lines[place.line or 0].location.line == last.location.line

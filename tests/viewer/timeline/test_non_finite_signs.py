"""Every sign of NaN and Inf is red for harm, and gray otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.step_queries import node_at_step
from gradviz.drawing.content.node_problems import (
    ERROR_COLORS,
    ISOLATED_COLORS,
    find_node_problems,
    node_problem_text,
    problem_colors,
)
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.timeline.alerts import AlertChips, AlertCounter
from gradviz.viewer.widgets.pill import Pill
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.traces import MemoryReader
from tests.viewer.view_requests import requests_of

BACKWARD = 5


def reader_with(*numbers: int) -> MemoryReader:
    """The node of step 5 is given Inf; what it returns has it too if tensor 8 is among these."""
    bad = {number: tensor(number, [[1.0, np.inf, 1.0], [1.0, 1.0, -np.inf]]) for number in numbers}
    return MemoryReader(linear_trace(), tuple(bad.get(p[0].id, p) for p in LINEAR_TENSORS))


@pytest.mark.parametrize(("numbers", "is_harmful"), [((6,), False), ((6, 8), True)])
def test_all_signs_have_one_color(qtbot: QtBot, numbers: tuple[int, ...], is_harmful: bool) -> None:
    state = ViewerState(LIGHT)
    requests = requests_of(state)
    alerts, chips = AlertCounter(None), AlertChips(LIGHT)
    alerts.reach_found.connect(state.set_reach)
    inspector, outline = Inspector(state, requests), OutlinePanel(state, requests)
    for panel in (inspector, outline, chips):
        qtbot.addWidget(panel)
        panel.resize(400, 900)
        panel.show()
    reader = reader_with(*numbers)
    state.show(reader)
    state.go_to(BACKWARD)
    assert state.index is not None
    alerts.collect(state.index)
    chips.show_marks(alerts.marks)
    QApplication.processEvents()
    assert {mark.kind for mark in alerts.marks if mark.kind != "print"} == {
        "not finite" if is_harmful else "isolated"
    }
    tone = "error" if is_harmful else "plain"
    assert {chip.tag.tone for chip in chips.chips} == {tone}
    pills = [each for each in inspector.findChildren(Pill) if "Inf" in each.text()]
    assert {pill.tag.tone for pill in pills} == {tone}
    problems = find_node_problems(state.index)
    colors = ERROR_COLORS if is_harmful else ISOLATED_COLORS
    node = node_at_step(state.index, BACKWARD)
    assert node is not None
    assert problem_colors(node_problem_text(problems, (node,))) == colors
    problem = outline.view.rows.place_of(node).siblingAtColumn(3)
    assert problem.data(Qt.ItemDataRole.ForegroundRole) == LIGHT.color(colors[0])

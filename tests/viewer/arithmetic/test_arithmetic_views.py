"""The arithmetic of a picked element in the cells, in a line of numbers and in the code."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.viewer.arithmetic.controller import ArithmeticController
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import inside_reader
from tests.viewer.view_requests import requests_of

INPUT, WEIGHT, GRAD_WEIGHT, DOUBLED = 1, 2, 8, 10
LINE = "grad_weight[1, 0] = input[:, 1] · doubled[:, 0] = 1·2 + 3·2 = 8"


@pytest.fixture
def opened(qtbot: QtBot) -> tuple[Inspector, ViewerState]:
    state = ViewerState(LIGHT)
    inspector = Inspector(state, requests_of(state))
    ArithmeticController(state, inspector)
    qtbot.addWidget(inspector)
    inspector.resize(340, 1200)
    inspector.show()
    state.show(inside_reader())
    state.go_to(5)
    QApplication.processEvents()
    return inspector, state


def view_of(inspector: Inspector, tensor: int) -> TensorView:
    return next(
        view
        for view in inspector.findChildren(TensorView)
        if view.isVisible() and view.display is not None and view.display.record.id == tensor
    )


def framed(view: TensorView) -> dict[tuple[int, int], tuple[int, bool]]:
    return {cell: (mark.term, mark.result) for cell, mark in view.heatmap.framed}


def test_a_click_shows_what_an_element_was_computed_from(
    opened: tuple[Inspector, ViewerState], qtbot: QtBot
) -> None:
    inspector, _ = opened
    view = view_of(inspector, GRAD_WEIGHT)
    place = view.heatmap.cell_rect(1, 0).center().toPoint()
    qtbot.mouseClick(view.heatmap, Qt.MouseButton.LeftButton, pos=place)
    assert inspector.arithmetic == LINE
    assert framed(view) == {(1, 0): (0, True)}
    assert framed(view_of(inspector, INPUT)) == {(0, 1): (1, False), (1, 1): (2, False)}
    assert framed(view_of(inspector, WEIGHT)) == {}
    qtbot.mouseClick(view.heatmap, Qt.MouseButton.LeftButton, pos=place)
    assert inspector.arithmetic == ""
    assert framed(view) == {}


def test_an_element_of_a_leaf_shows_its_gradient(opened: tuple[Inspector, ViewerState]) -> None:
    inspector, state = opened
    state.pin(ElementRef(tensor=WEIGHT, index=(1, 0)))
    assert inspector.arithmetic == LINE
    state.go_to(1)
    assert inspector.arithmetic == ""


def test_a_hidden_answer_has_no_arithmetic(opened: tuple[Inspector, ViewerState]) -> None:
    inspector, state = opened
    state.go_to(4)
    state.pin(ElementRef(tensor=WEIGHT, index=(1, 0)))
    state.set_quiz_mode(True)
    state.next_step()
    assert state.revealed.hides_answer
    assert state.arithmetic is None
    state.next_step()
    assert inspector.arithmetic == LINE


def test_the_code_marks_the_operands_where_they_were_used(
    opened: tuple[Inspector, ViewerState], qtbot: QtBot
) -> None:
    _, state = opened
    panel = SourcePanel(state, requests_of(state))
    qtbot.addWidget(panel)
    panel.resize(500, 400)
    panel.show()
    view = panel.backward.view

    def marked() -> list[str]:
        return [
            each.cursor.selectedText()
            for each in view.extraSelections()
            if each.format.fontUnderline()
        ]

    assert marked() == []
    state.pin(ElementRef(tensor=GRAD_WEIGHT, index=(1, 0)))
    assert marked() == ["grad_weight", "input", "doubled"]
    state.pin(None)
    assert marked() == []


def test_another_trace_begins_without_a_pinned_element() -> None:
    state = ViewerState(LIGHT)
    state.show(inside_reader())
    state.go_to(5)
    state.pin(ElementRef(tensor=GRAD_WEIGHT, index=(1, 0)))
    seen: list[ElementRef | None] = []
    state.trace_changed.connect(lambda index: seen.append(state.element))
    state.show(inside_reader())
    assert seen == [None]

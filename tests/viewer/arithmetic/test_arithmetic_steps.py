"""The clicker shows arithmetic in Presenter Mode, and in lessons where a stop asks for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.analysis.provenance.tensor_lineage import trace_lineage
from gradviz.viewer.arithmetic.arithmetic_steps import ArithmeticSteps
from gradviz.viewer.arithmetic.controller import ArithmeticController
from gradviz.viewer.presenter.presenter_values import PresenterValues
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import inside_reader

GRAD_WEIGHT = 8
Opened = tuple[ViewerState, ArithmeticSteps, QAction]


@pytest.fixture
def opened(qapp: QApplication) -> Opened:
    state = ViewerState(LIGHT)
    action = QAction(state)
    steps = ArithmeticSteps(state, ArithmeticController(state, state), action, state)
    state.show(inside_reader())
    assert state.index is not None
    state.set_lineage(trace_lineage(state.index))
    state.go_to(5)
    return state, steps, action


def test_a_click_shows_the_largest_sum_of_a_custom_backward(opened: Opened) -> None:
    state, _, action = opened
    assert not state.clicks.has_next
    state.presentation.set_presenting(True)
    assert state.clicks.forward()
    # grad_input comes from NumPy, so the first sum is in grad_weight; 8 is its largest element.
    assert state.element == ElementRef(tensor=GRAD_WEIGHT, index=(1, 0))
    assert state.arithmetic is not None
    assert not state.clicks.has_next
    assert state.clicks.back()
    assert state.arithmetic is None
    assert state.element is None
    action.setChecked(False)
    assert not state.preferences.arithmetic
    assert not state.clicks.has_next


def test_the_next_step_takes_the_arithmetic_away(opened: Opened) -> None:
    state, _, _ = opened
    state.presentation.set_presenting(True)
    state.clicks.forward()
    state.next_step()
    assert state.element is None
    assert not state.clicks.has_previous


def test_other_steps_and_pages_have_none(opened: Opened) -> None:
    state, steps, _ = opened
    state.presentation.set_presenting(True)
    steps.show_tab("jacobians")
    assert not state.clicks.has_next
    steps.show_tab("graph")
    assert state.clicks.has_next
    # The guide is shown in place of the values.
    state.presentation.set_values_covered(True)
    assert not state.clicks.has_next
    state.presentation.set_values_covered(False)
    assert state.clicks.has_next
    # A built-in node.
    state.go_to(4)
    assert not state.clicks.has_next


@pytest.mark.parametrize(
    ("stop", "shown"),
    [
        ((5, "grad_weight[0, 2]"), (0, 2)),
        ((5, ""), None),
        ((4, "grad_weight[0, 2]"), None),
        ((5, "grad_weight[9, 9]"), None),
        ((5, "nothing[0]"), None),
    ],
)
def test_a_lesson_shows_only_the_element_of_its_stop(
    stop: tuple[int, str], shown: tuple[int, ...] | None, opened: Opened
) -> None:
    state, steps, _ = opened
    state.presentation.set_presenting(True)
    steps.follow_lesson(stop)
    assert state.clicks.forward() is (shown is not None)
    assert (state.element is None) is (shown is None)
    if state.element is not None:
        assert state.element.index == shown
    steps.follow_lesson(None)
    assert state.element is None
    assert state.clicks.has_next


@pytest.fixture
def presented(opened: Opened, qtbot: QtBot) -> Callable[[], PresenterValues]:
    def present() -> PresenterValues:
        values = PresenterValues(opened[0])
        qtbot.addWidget(values)
        values.resize(600, 420)
        values.show()
        return values

    return present


def test_the_values_of_the_arithmetic_are_framed(
    opened: Opened, presented: Callable[[], PresenterValues]
) -> None:
    state, _, _ = opened
    values = presented()
    state.presentation.set_presenting(True)
    state.clicks.forward()
    assert values.arithmetic.text == (
        "grad_weight[1, 0] = input[:, 1] · doubled[:, 0] = 1·2 + 3·2 = 8"
    )
    framed = {
        shown.name: {mark.element: mark.term for mark in shown.framed}
        for shown in values.tensors
        if shown.framed
    }
    assert framed == {"grad_weight": {(1, 0): 0}, "input": {(0, 1): 1, (1, 1): 2}}
    state.clicks.back()
    assert values.arithmetic.text == ""
    assert not any(shown.framed for shown in values.tensors)


def test_a_click_on_a_cell_picks_its_element(
    opened: Opened, presented: Callable[[], PresenterValues], qtbot: QtBot
) -> None:
    state, _, _ = opened
    values = presented()
    shown = next(each for each in values.tensors if each.tensor == GRAD_WEIGHT)
    place: QPointF = shown.cell_rect(1, 2).center()
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert state.element == ElementRef(tensor=GRAD_WEIGHT, index=(1, 2))
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert state.element is None

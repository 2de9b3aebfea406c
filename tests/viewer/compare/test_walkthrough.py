"""A comparison explained with the clicker in Presenter Mode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gradviz.analysis.compare.differing_lines import differing_places
from gradviz.analysis.compare.run_comparison import Mismatch, RunComparison, compare_runs
from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import line_at
from gradviz.model.step import AccumulateStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.viewer.compare.walkthrough import MOST_DIFFERENCES, CompareWalkthrough, ideas_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT, Theme
from tests.builders import tensor
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.viewer.painted_texts import painted_texts
from tests.viewer.traces import MemoryReader

STAGE = replace(LIGHT, scale=1.8)
OTHER_WEIGHT = tensor(8, [[4.0, 4.0, 4.0], [9.0, 9.0, 9.0]])


def reader_with(*kept: tuple[TensorRecord, TensorValue]) -> MemoryReader:
    """The run down to lines, in which some tensors have other elements."""
    values = {record.id: (record, value) for record, value in (*INSIDE_TENSORS, *kept)}
    return MemoryReader(inside_trace(), tuple(values.values()))


Readers = tuple[MemoryReader, MemoryReader]


def compared(readers: Readers) -> RunComparison:
    left, right = (index_trace(each.trace(), each.value) for each in readers)
    return compare_runs(left, right)


@pytest.fixture
def state() -> Iterator[ViewerState]:
    state = ViewerState(replace(STAGE))
    yield state
    state.show(None)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def walkthrough(qtbot: QtBot, state: ViewerState, readers: Readers) -> CompareWalkthrough:
    shown = CompareWalkthrough(state)
    qtbot.addWidget(shown)
    shown.resize(1280, 620)
    state.show(readers[0])
    shown.show_comparison(compared(readers), readers)
    shown.show()
    QApplication.processEvents()
    return shown


def texts(state: ViewerState) -> tuple[str, str, int, int]:
    idea = state.presentation.idea
    assert idea is not None
    return idea.title, idea.sentence, idea.at, idea.count


def test_one_click_for_each_difference(qtbot: QtBot, state: ViewerState) -> None:
    readers = (reader_with(), reader_with(OTHER_WEIGHT))
    shown = walkthrough(qtbot, state, readers)
    assert texts(state)[0] == "Two runs in step"
    assert shown.view.values.isHidden()
    assert shown.view.sides[0].sentence.sentences[0].startswith("Step 5: ")
    assert state.clicks.forward()
    title, sentence, *_ = texts(state)
    assert (title, sentence) == (
        "First difference",
        "In step 5, the gradient returned for weight differs: by up to 1 at [1, 0].",
    )
    left, right, difference = shown.view.values.tensors
    assert (left.name, right.name, difference.name) == (
        "grad_weight, left",
        "grad_weight, right",
        "right − left",
    )
    assert left.limit == right.limit == difference.limit == 9.0
    for side in shown.view.sides:
        assert side.sentence.shown == side.sentence.sentences
        assert side.sentence.sentences[0].startswith("Step 5: LinearFunction.backward")
        assert side.code.current == ("grad_weight = input.t().mm(doubled)",)
    assert state.clicks.forward()
    assert texts(state)[0] == "Consequence"
    assert texts(state)[2:] == (2, 3)
    assert not state.clicks.forward()
    assert state.number == 1
    state.next_step()
    assert texts(state)[2:] == (0, 1)
    assert not state.clicks.has_next


def test_back_and_by_the_dots(qtbot: QtBot, state: ViewerState) -> None:
    shown = walkthrough(qtbot, state, (reader_with(), reader_with(OTHER_WEIGHT)))
    state.presentation.idea_requested.emit(2)
    assert texts(state)[2] == 2
    assert state.clicks.back()
    assert texts(state)[2] == 1
    shown.hide()
    assert state.presentation.idea is None
    assert not state.clicks.has_next


def test_equal_runs_have_one_page(qtbot: QtBot, state: ViewerState) -> None:
    shown = walkthrough(qtbot, state, (reader_with(), reader_with()))
    title, sentence, at, count = texts(state)
    assert (title, at, count) == ("Equal runs", 0, 1)
    assert sentence.startswith("The two runs are bitwise equal")
    assert len(shown.view.values.tensors) == 2
    assert not state.clicks.has_next


def test_the_answer_stays_hidden_in_quiz_mode(qtbot: QtBot, state: ViewerState) -> None:
    shown = walkthrough(qtbot, state, (reader_with(), reader_with(OTHER_WEIGHT)))
    state.set_quiz_mode()
    assert not shown.view.shows_evidence
    assert texts(state)[0] == "Hidden in quiz mode"
    assert not state.clicks.has_next


def test_a_theme_for_everything(qtbot: QtBot, state: ViewerState) -> None:
    shown = walkthrough(qtbot, state, (reader_with(), reader_with(OTHER_WEIGHT)))
    state.clicks.forward()

    def sizes() -> dict[str, float]:
        return {each.text: each.pixels for each in painted_texts(shown.view)}

    before = sizes()
    larger: Theme = replace(STAGE, scale=2.4)
    state.set_theme(larger)
    after = sizes()
    # Numbers and code fill their space in any case.
    names = {"Left: LinearFunction, merged", "grad_weight, left", "right − left"}
    assert names <= before.keys()
    assert all(after[name] > before[name] for name in names)


def test_large_values_have_a_color_scale(qtbot: QtBot, state: ViewerState) -> None:
    left = tensor(8, np.linspace(-8.0, 3.0, 40 * 40).reshape(40, 40))
    right = tensor(8, np.linspace(-8.0, 5.0, 40 * 40).reshape(40, 40))
    shown = walkthrough(qtbot, state, (reader_with(left), reader_with(right)))
    assert state.clicks.forward()
    values = shown.view.values
    assert values.scale.isVisible()
    assert values.scale.labels == ("-8", "0", "8")
    for each in values.tensors:
        assert each.is_only_colored
        assert each.limit == 8
        assert each.geometry().bottom() < values.scale.y()


def test_rounding_has_one_page() -> None:
    close = np.nextafter(8.0, 9.0)
    found = compared((reader_with(), reader_with(tensor(8, [[4.0, 4.0, 4.0], [8.0, 8.0, close]]))))
    assert [each.kind for each in ideas_of(found)] == ["together", "rounding"]


def test_many_differences_end_in_a_list() -> None:
    found = compared((reader_with(), reader_with(OTHER_WEIGHT)))
    (accumulated,) = (
        each.number
        for each in found.left.trace.steps
        if isinstance(each, AccumulateStep) and each.total.tensor == 8
    )
    more = tuple(
        Mismatch(left=accumulated, right=None, verdict="only_left", value=None) for _ in range(9)
    )
    ideas = ideas_of(replace(found, mismatches=(*found.mismatches, *more)))
    assert [each.kind for each in ideas] == [
        "together",
        "first",
        *["consequence"] * (MOST_DIFFERENCES - 1),
        "rest",
    ]
    assert len(ideas[-1].others) == len(found.mismatches) + 9 - MOST_DIFFERENCES


def test_the_first_line_that_differs() -> None:
    found = compared((reader_with(), reader_with(tensor(10, np.full((2, 3), 3.0)))))
    places = differing_places(found, 5, 5)
    for index, place in zip((found.left, found.right), places, strict=True):
        assert place is not None
        line = line_at(index, place)
        assert line is not None
        assert [each.tensor for each in line.changes] == [10]
    left, right = differing_places(found, 5, None)
    assert (left is not None and left.line, right) == (None, None)

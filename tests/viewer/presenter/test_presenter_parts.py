"""The sentence and the values in presenter mode."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gradviz.viewer.presenter.presenter_header import PresenterHeader
from gradviz.viewer.presenter.presenter_values import PresenterTensor, PresenterValues
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from tests.builders import tensor
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import changed_reader, linear_reader
from tests.viewer.widget_texts import texts_of

ROOM = Theme(name="light", scale=1.8)


@pytest.fixture
def state() -> Iterator[ViewerState]:
    state = ViewerState(ROOM)
    state.show(linear_reader())
    yield state
    state.show(None)


@pytest.fixture
def head(state: ViewerState, qtbot: QtBot) -> PresenterHeader:
    head = PresenterHeader(state)
    qtbot.addWidget(head)
    head.resize(1280, 150)
    head.show()
    return head


@pytest.fixture
def values(state: ViewerState, qtbot: QtBot) -> PresenterValues:
    values = PresenterValues(state)
    qtbot.addWidget(values)
    values.resize(500, 560)
    values.show()
    return values


def test_the_head_says_what_happens_where_and_when(
    head: PresenterHeader, state: ViewerState
) -> None:
    state.go_to(5)
    assert head.title.text == "BACKWARD · LinearFunction.backward"
    assert head.sentence.text.startswith("LinearFunction.backward receives")
    assert " ".join("".join(head.sentence.shown).split()) == head.sentence.text
    assert head.sentence.pixels >= 24
    assert head.count.text() == "5 / 8"
    assert head.count.font().pixelSize() >= 40
    assert ":" in head.time.text()
    assert head.quiz_mode.isHidden()


def test_the_head_is_as_high_at_every_step(head: PresenterHeader, state: ViewerState) -> None:
    heights = set()
    for number in range(1, 9):
        state.go_to(number)
        heights.add(head.sizeHint().height())
    assert len(heights) == 1


def test_a_hidden_answer_is_asked_for(head: PresenterHeader, state: ViewerState) -> None:
    state.set_quiz_mode()
    assert head.quiz_mode.isVisible()
    state.go_to(5)
    assert head.sentence.text.startswith("What does LinearFunction.backward return for")
    state.next_step()
    assert "and returns" in head.sentence.text


def test_the_values_are_what_arrives_what_is_returned_and_what_was_saved(
    values: PresenterValues, state: ViewerState
) -> None:
    state.go_to(5)
    shown = {each.name: each.texts[1] for each in values.tensors}
    assert shown == {
        "grad_output": "2×3 · float64",
        "grad_input": "2×2 · float64",
        "grad_weight": "2×3 · float64",
        "grad_bias": "None",
        "input": "2×2 · float64",
        "weight": "2×3 · float64",
        "bias": "None",
    }
    titles = [label.text() for label in values.widget().findChildren(QLabel)]
    assert titles == ["incoming gradient", "returned", "saved tensors"]


def test_hidden_values_show_neither_shape_nor_number(
    values: PresenterValues, state: ViewerState
) -> None:
    state.set_quiz_mode()
    state.go_to(5)
    hidden = [each for each in values.tensors if each.hidden]
    assert [each.texts for each in hidden] == [("grad_input",), ("grad_weight",), ("grad_bias",)]
    assert len({each.sizeHint().height() for each in hidden}) == 1
    assert "12" not in " ".join(texts_of(values))
    state.next_step()
    assert not any(each.hidden for each in values.tensors)


def test_changes_by_the_engine_are_shown_in_between(
    values: PresenterValues, state: ViewerState
) -> None:
    state.show(changed_reader())
    state.go_to(5)
    assert "summed from 4×2×3 to 2×3" in texts_of(values)
    names = [each.name for each in values.tensors]
    assert [name for name in names if name.startswith("grad_weight")] == [
        "grad_weight, returned",
        "grad_weight, passed on",
    ]


def test_values_use_the_available_height(qtbot: QtBot) -> None:
    record, value = tensor(1, [[1.0, 1.0], [1.0, 1.0]])
    shown = PresenterTensor("x", ROOM)
    shown.show_tensor(record, value)
    qtbot.addWidget(shown)
    shown.resize(shown.sizeHint())
    shown.show()
    pixels = pixels_of(shown)
    # White digits on dark red: a digit is about seven tenths as high as its type.
    cells = pixels[pixels.shape[0] - 60 :, :60]
    white = (cells.min(axis=2) > 200).any(axis=1)
    rows = [at for at, each in enumerate(white) if each]
    assert len(rows) >= 2 * 13


def test_large_tensors_stay_within_their_area(qtbot: QtBot) -> None:
    record, value = tensor(1, np.arange(4096.0).reshape(64, 64))
    shown = PresenterTensor("x" * 300, ROOM)
    shown.show_tensor(record, value)
    assert shown.sizeHint().width() <= 370
    assert shown.sizeHint().height() <= 440

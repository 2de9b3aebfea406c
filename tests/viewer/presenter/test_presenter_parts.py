"""The sentence and the values in presenter mode."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, QSize
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.step import NodeStep
from gradviz.viewer.presenter.presenter_header import PresenterHeader
from gradviz.viewer.presenter.presenter_tensor import PresenterTensor
from gradviz.viewer.presenter.presenter_values import PresenterValues
from gradviz.viewer.presenter.value_layout import PartLook, Space, ValueGroup, pages_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.window.message_bar import MessageBar
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.viewer.jacobians.panel_reports import one_block, reader_of
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import (
    ANALYTICAL,
    NUMERICAL,
    MemoryReader,
    changed_reader,
    linear_reader,
    wrong_report,
)
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
    assert head.title.text == "backward · step 5 of 8"
    assert head.sentence.text.startswith("LinearFunction.backward receives")
    assert " ".join("".join(head.sentence.shown).split()) == head.sentence.text
    assert head.sentence.pixels >= 20
    assert ":" in head.time.text()
    assert head.time.text().endswith(" · 0 min")
    assert head.quiz_mode.isHidden()


def test_the_head_shows_a_message_until_the_next_step(qtbot: QtBot, state: ViewerState) -> None:
    messages = MessageBar(ROOM)
    qtbot.addWidget(messages)
    head = PresenterHeader(state, messages=messages)
    qtbot.addWidget(head)
    messages.say("Trace saved to run.gradviz.", "info")
    assert head.sentence.text == "Trace saved to run.gradviz."
    state.go_to(5)
    assert head.sentence.text.startswith("LinearFunction.backward receives")


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
        "grad_output": "2×3",
        "grad_input": "2×2",
        "grad_weight": "2×3",
        "grad_bias": "None",
        "input": "2×2",
        "weight": "2×3",
        "bias": "None",
    }
    assert values.texts == ("came in", "returned", "saved tensors")


def test_all_values_of_a_step_share_one_color_scale(
    values: PresenterValues, state: ViewerState
) -> None:
    state.go_to(5)
    assert {each.limit for each in values.tensors if each.tensor is not None} == {12.0}


def test_cells_without_numbers_have_a_color_scale(
    values: PresenterValues, state: ViewerState
) -> None:
    state.go_to(5)
    assert not values.scale.isVisible()
    pairs = {record.id: (record, value) for record, value in LINEAR_TENSORS}
    large = tensor(7, np.linspace(-8.0, 3.0, 40 * 40).reshape(40, 40))
    state.show(MemoryReader(linear_trace(), tuple((pairs | {7: large}).values())))
    state.go_to(5)
    assert values.scale.isVisible()
    assert values.scale.labels == ("-8", "0", "8")
    assert values.rect().contains(values.scale.geometry())
    assert not values.scale.geometry().intersects(values.note.geometry())


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


def test_a_check_that_ends_meanwhile_adds_the_correct_values(
    values: PresenterValues, state: ViewerState
) -> None:
    state.go_to(8)
    assert not any("correct" in text for text in values.texts)
    # The check finds the recorded gradient, and another one by finite differences.
    weight = wrong_report().blocks[1]
    checked = reader_of(one_block(weight), {22: ANALYTICAL, 23: NUMERICAL})
    state.show_appended(checked, index_trace(checked.trace(), checked.value))
    assert any(text.startswith("correct weight.grad") for text in values.texts)
    assert state.number == 8


def test_changes_by_the_engine_are_shown_in_between(
    values: PresenterValues, state: ViewerState
) -> None:
    state.show(changed_reader())
    state.go_to(5)
    assert [each.texts for each in values.tensors if each.name == "grad_weight"] == [
        ("grad_weight", "4×2×3"),
        ("summed from 4×2×3 to 2×3",),
    ]


def test_values_use_the_available_height(qtbot: QtBot) -> None:
    record, value = tensor(1, [[1.0, 1.0], [1.0, 1.0]])
    shown = PresenterTensor("x", ROOM)
    shown.show_tensor(record, value)
    shown.set_look(PartLook(cell=12, most=QSize(500, 300)))
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
    shown.set_look(PartLook(cell=12, most=QSize(600, 300)))
    qtbot.addWidget(shown)
    assert shown.sizeHint().width() <= 601
    assert shown.sizeHint().height() <= 301


def test_colored_cells_are_no_higher_than_their_area(qtbot: QtBot) -> None:
    record, value = tensor(1, np.linspace(-0.123456, 1, 16).reshape(8, 2))
    shown = PresenterTensor("gradient", ROOM)
    qtbot.addWidget(shown)
    shown.show_tensor(record, value)
    shown.set_look(PartLook(cell=10, most=QSize(600, 130)))
    assert 100 < shown.sizeHint().height() <= 130
    assert shown.cell_rect(7, 1).bottom() <= 130


def test_slices_stand_side_by_side(qtbot: QtBot) -> None:
    record, value = tensor(1, np.arange(24.0).reshape(4, 2, 3))
    shown = PresenterTensor("grad_weight", ROOM)
    shown.show_tensor(record, value)
    shown.set_look(PartLook(cell=11, most=QSize(600, 300)))
    qtbot.addWidget(shown)
    first, last, below = (shown.cell_rect(*at) for at in ((0, 0, 2), (3, 0, 2), (3, 1, 2)))
    assert first.top() == last.top()
    assert first.right() < last.left()
    assert below.top() == last.bottom()
    assert shown.rect().isValid()
    assert shown.sizeHint().width() >= last.right()
    shown.set_look(PartLook(cell=11, most=QSize(300, 300)))
    assert shown.cell_rect(3, 0, 2).top() > shown.cell_rect(0, 0, 2).top()
    shown.set_look(PartLook(cell=11, most=QSize(600, 300), brief=True))
    assert shown.cell_rect(0, 0, 2).isEmpty()


def test_what_does_not_fit_comes_with_the_next_click(
    values: PresenterValues, state: ViewerState
) -> None:
    state.go_to(5)
    assert not values.has_next
    assert not any(each.is_brief for each in values.tensors)
    values.resize(500, 260)
    assert [each.name for each in values.tensors if each.is_brief][-3:] == [
        "input",
        "weight",
        "bias",
    ]
    values.resize(260, 200)
    assert values.note.text().startswith("1 of ")
    assert values.note.text().endswith("not shown: saved tensors")
    seen = set()
    while values.has_next:
        seen |= {each.name for each in values.tensors if each.isVisible()}
        values.show_next()
    seen |= {each.name for each in values.tensors if each.isVisible()}
    assert seen >= {"grad_output", "grad_input", "grad_weight", "grad_bias"}
    state.go_to(6)
    assert not values.has_previous


def test_a_step_that_computed_nothing_is_about_what_it_received(
    values: PresenterValues, state: ViewerState
) -> None:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    failed = replace(step, finished=False, received=(), returned=(), passed=())
    trace = replace(trace, steps=(*trace.steps[:4], failed, *trace.steps[5:]))
    values.resize(260, 200)
    state.show(MemoryReader(trace, LINEAR_TENSORS))
    state.go_to(5)
    assert [each.name for each in values.tensors if not each.is_brief][:1] == ["grad_output"]


class FixedPart:
    """A part that is as large with every look."""

    has_numbers = True

    def __init__(self, width: int, height: int, *, continues: bool = False) -> None:
        self._size = QSize(width, height)
        self.continues = continues

    def set_look(self, look: PartLook) -> None:
        pass

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self._size


def test_groups_that_fit_beside_each_other_share_a_page() -> None:
    values = [FixedPart(40, 60) for _ in range(4)]
    groups = [ValueGroup(rank=0, title=FixedPart(30, 10), parts=(each,)) for each in values]
    space = Space(size=QSize(95, 100), gap=10, below=2)
    pages = [dict(page) for page in pages_of(groups, space)]
    assert [[values.index(part) for part in page if part in values] for page in pages] == [
        [0, 1],
        [2, 3],
    ]
    assert pages[0][values[1]] == QRect(QPoint(50, 10), QSize(40, 60))


@pytest.mark.parametrize(("height", "tops"), [(100, [10, 32, 32, 54]), (60, [10, 10, 32, 32])])
def test_a_value_stays_beside_what_it_was_computed_from_if_there_is_space(
    height: int, tops: list[int]
) -> None:
    sizes = ((60, False), (40, False), (40, True), (60, False))
    values = [FixedPart(width, 20, continues=continues) for width, continues in sizes]
    group = ValueGroup(rank=0, title=FixedPart(30, 10), parts=tuple(values))
    (page,) = pages_of([group], Space(size=QSize(110, height), gap=10, below=2))
    assert [dict(page)[part].top() for part in values] == tops


class ShrinkingPart(FixedPart):
    """Loses its numbers where it has less than its width."""

    def set_look(self, look: PartLook) -> None:
        self.has_numbers = look.most.width() >= self._size.width()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self._size if self.has_numbers else QSize(10, 10)


def test_a_value_stands_below_what_it_was_computed_from_if_that_keeps_its_numbers() -> None:
    values = (ShrinkingPart(100, 20), FixedPart(40, 20, continues=True))
    group = ValueGroup(rank=0, title=FixedPart(30, 10), parts=values)
    (page,) = pages_of([group], Space(size=QSize(110, 60), gap=10, below=2))
    assert [dict(page)[part] for part in values] == [QRect(0, 10, 100, 20), QRect(0, 32, 40, 20)]


def test_only_a_group_that_exceeds_a_page_is_split() -> None:
    tall = [FixedPart(100, 60) for _ in range(2)]
    groups = [
        ValueGroup(rank=0, title=FixedPart(30, 10), parts=tuple(tall)),
        ValueGroup(rank=0, title=FixedPart(30, 10), parts=(FixedPart(40, 80),)),
    ]
    pages = pages_of(groups, Space(size=QSize(140, 100), gap=10, below=2))
    assert [len(page) for page in pages] == [2, 1, 2]

"""The inspector at positions inside a step, and navigating from there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.document.location_text import crumbs as breadcrumbs
from gradviz.model.inside import ExecutedLine, Inside, UserFrame
from gradviz.text.narration import describe_position
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.inspector.row_widgets import ChangeView, StepLinks
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainBlock
from tests.inside_builder import at as place_in_text
from tests.inside_builder import inside_trace, line, part
from tests.viewer.inside_traces import BACKWARD, DEEP_TENSORS, deep_reader, deep_trace
from tests.viewer.traces import MemoryReader
from tests.viewer.view_requests import requests_of

BACK = TracePosition(step=5, stage="backward")
Opener = Callable[[TracePosition, Level], Inspector]


@pytest.fixture
def state(qtbot: QtBot) -> ViewerState:
    state = ViewerState(LIGHT)
    state.show(deep_reader())
    return state


@pytest.fixture
def opened(qtbot: QtBot, state: ViewerState) -> Opener:
    def open_at(place: TracePosition, level: Level) -> Inspector:
        inspector = Inspector(state, requests_of(state))
        qtbot.addWidget(inspector)
        inspector.resize(340, 1600)
        inspector.show()
        state.go_to_place(place, level)
        QApplication.processEvents()
        return inspector

    return open_at


def names(inspector: Inspector) -> dict[str, list[str]]:
    """The names of tensors and objects in each section."""
    return {
        section.key: [
            view.texts[0] for view in section.findChildren(TensorView) if view.isVisible()
        ]
        for section in inspector.sections
    }


def blocks(widget: QWidget) -> list[str]:
    return [each.toPlainText() for each in widget.findChildren(PlainBlock) if not each.isHidden()]


def labels(widget: QWidget) -> list[str]:
    return [each.text() for each in widget.findChildren(QLabel) if not each.isHidden()]


def crumbs(inspector: Inspector) -> list[str]:
    """The levels from the step to the place inside it."""
    return [] if inspector.facts is None else [each.text for each in inspector.facts.crumbs]


def pills(inspector: Inspector, key: str) -> list[Pill]:
    (section,) = [each for each in inspector.sections if each.key == key]
    found = section.findChildren(StepLinks)[0].findChildren(Pill)
    return [pill for pill in found if not pill.isHidden()]


def test_a_stage_shows_what_it_received_returned_and_changed(
    opened: Opener, state: ViewerState
) -> None:
    inspector = opened(BACK, "stage")
    assert inspector.facts is not None
    assert state.index is not None
    assert inspector.facts.title == "backward of LinearFunction"
    assert inspector.facts.sentence == describe_position(state.index, BACK)
    assert crumbs(inspector) == ["step 5", "backward"]
    shown = names(inspector)
    assert shown["incoming"] == ["grad_output"]
    assert shown["returned"] == ["grad_input", "grad_weight", "grad_bias"]
    assert shown["saved"] == ["input", "weight", "bias"]
    assert [pill.text() for pill in pills(inspector, "stage-writes")] == ["aten::mul_.Scalar"]


@pytest.mark.parametrize(
    ("place", "title", "keys"),
    [
        (
            TracePosition(step=1, stage="forward"),
            "forward of LinearFunction",
            "arguments outputs inside",
        ),
        (TracePosition(step=1, stage="save"), "tensors saved by LinearFunction", "saved"),
        (TracePosition(step=2, stage="forward"), "forward of sum", "arguments outputs"),
        (
            TracePosition(step=4, stage="backward"),
            "backward of SumBackward0",
            "incoming returned formula inside",
        ),
        (TracePosition(step=5, stage="engine"), "engine checks after LinearFunction", "returned"),
        (
            TracePosition(step=6, stage="accumulate"),
            "accumulation into input.grad",
            "contribution total leaf",
        ),
    ],
)
def test_each_stage_shows_its_own(
    opened: Opener, place: TracePosition, title: str, keys: str
) -> None:
    inspector = opened(place, "stage")
    assert inspector.facts is not None
    assert inspector.facts.title == title
    shown = [section.key for section in inspector.sections]
    assert shown in (keys.split(), [*keys.split(), "scale"])


def test_a_line_shows_changes_reads_ops_and_locals(opened: Opener, qtbot: QtBot) -> None:
    inspector = opened(replace(BACK, line=1), "line")
    assert inspector.facts is not None
    assert inspector.facts.title == "backward of LinearFunction, line 10"
    assert blocks(inspector) == []
    shown = names(inspector)
    assert shown["line-changes"] == ["grad_input"]
    assert shown["line-reads"] == ["grad_output", "weight"]
    assert shown["locals"] == []
    (others,) = [section for section in inspector.sections if section.key == "locals"]
    qtbot.mouseClick(others.header, Qt.MouseButton.LeftButton)
    assert names(inspector)["locals"] == ["input", "bias"]
    assert [pill.text() for pill in pills(inspector, "inside")] == ["aten::t", "aten::mm"]


def test_a_line_that_changes_in_place_shows_before_after_and_difference(opened: Opener) -> None:
    inspector = opened(replace(BACK, line=2), "line")
    (change,) = [each for each in inspector.findChildren(ChangeView) if each.isVisible()]
    assert change.accessibleName() == "changed in place"
    assert [view.texts[0] for view in change.views] == ["grad_input", "grad_input"]
    assert "after - before =\n[[0. 0.]\n [0. 0.]]" in blocks(inspector)
    assert "line-reads" not in names(inspector)


def test_a_statement_of_several_lines_is_named_by_its_lines(opened: Opener) -> None:
    inspector = opened(replace(BACK, line=5), "line")
    assert crumbs(inspector)[-1] == "lines 13 to 17"
    assert names(inspector)["line-result"] == ["return"]


def test_of_a_deep_recursion_the_innermost_calls_are_named() -> None:
    here = place_in_text(5, "scaled")
    frames = [
        UserFrame(function=here, arguments=(), caller=caller) for caller in (None, *range(99))
    ]
    lines = [line(here, frame=number) for number in range(100)]
    inside = Inside(id=5, parts=(part("backward", frames=frames, lines=lines),))
    trace = inside_trace()
    index = index_trace(
        structs.replace(trace, insides=(*trace.insides[:3], inside, *trace.insides[4:]))
    )
    found = breadcrumbs(index, TracePosition(step=5, stage="backward", line=99))
    assert [each.text for each in found[:4]] == ["step 5", "backward", "88 more calls", "line 5"]
    assert [each.place.line for each in found] == [None, None, 87, *range(88, 100)]
    found = breadcrumbs(index, TracePosition(step=5, stage="backward", line=12))
    assert [each.place.line for each in found] == [None, None, *range(13)]


def test_a_line_of_a_called_function_is_nested_in_the_calling_line(
    opened: Opener, state: ViewerState, qtbot: QtBot
) -> None:
    inspector = opened(replace(BACK, line=4), "line")
    assert inspector.facts is not None
    assert inspector.facts.title == "norm, line 21"
    assert crumbs(inspector) == ["step 5", "backward", "line 12", "line 21"]
    assert names(inspector)["line-reads"] == ["x"]
    state.go_to_place(replace(BACK, line=3), "line")
    (inner,) = pills(inspector, "inside")
    qtbot.mouseClick(inner, Qt.MouseButton.LeftButton)
    assert state.place == replace(BACK, line=4)


def test_an_op_shows_what_it_wrote_into_before_and_after(opened: Opener) -> None:
    inspector = opened(replace(BACK, line=2, op=2), "op")
    assert inspector.facts is not None
    assert inspector.facts.title == "aten::mul_.Scalar"
    assert crumbs(inspector) == ["step 5", "backward", "line 11", "aten::mul_.Scalar"]
    (change,) = [each for each in inspector.findChildren(ChangeView) if each.isVisible()]
    assert change.accessibleName() == "written in place"
    assert [view.display.record.id for view in change.views if view.display] == [10, 7]
    assert names(inspector)["op-inputs"] == ["other"]
    assert "op-outputs" not in names(inspector)
    assert "called in linear.py, line 11, in LinearFunction.backward" in labels(inspector)


def test_what_autograd_does_not_see_is_reported(opened: Opener) -> None:
    inspector = opened(replace(BACK, line=4, op=3), "op")
    assert any("Autograd does not record this" in text for text in labels(inspector))


def test_nothing_inside_of_a_hidden_step_is_reported(opened: Opener, state: ViewerState) -> None:
    inspector = opened(TracePosition(step=3), "node")
    state.set_quiz_mode()
    state.go_to(4)
    assert state.revealed.hides_answer
    state.go_to_place(TracePosition(step=4, stage="backward", op=0), "op")
    assert crumbs(inspector) == []
    assert {section.key for section in inspector.sections} == {"incoming", "returned"}
    assert inspector.facts is not None
    assert inspector.facts.sentence.startswith("What does SumBackward0 pass on")


def test_a_line_that_raised_says_so(opened: Opener, state: ViewerState) -> None:
    lines = (*BACKWARD.lines[:-1], _left(BACKWARD.lines[-1]))
    part = structs.replace(BACKWARD, lines=lines, finished=False)
    trace = structs.replace(deep_trace(), insides=(Inside(id=5, parts=(part,)),))
    state.show(MemoryReader(trace, DEEP_TENSORS))
    inspector = opened(replace(BACK, line=5), "line")
    assert inspector.facts is not None
    assert "not finished" in [tag.text for tag in inspector.facts.tags]
    assert any("interrupted by an exception" in text for text in labels(inspector))


def _left(line: ExecutedLine) -> ExecutedLine:
    return structs.replace(line, finished=False, result=None)


def test_a_built_in_node_shows_its_formula(
    opened: Opener, state: ViewerState, qtbot: QtBot
) -> None:
    inspector = opened(TracePosition(step=4), "node")
    assert blocks(inspector) == ["grad_self = expand(grad, self.shape)"]
    (made,) = pills(inspector, "formula")
    qtbot.mouseClick(made, Qt.MouseButton.LeftButton)
    assert state.number == 2
    assert pills_absent(inspector)


def pills_absent(inspector: Inspector) -> bool:
    (section,) = [each for each in inspector.sections if each.key == "formula"]
    return not [each for each in section.findChildren(StepLinks) if not each.isHidden()]


def test_a_formula_for_real_numbers_says_so_where_they_are_complex(
    opened: Opener, state: ViewerState
) -> None:
    record, value = DEEP_TENSORS[4]
    assert record.id == 5
    complex_one = structs.replace(record, dtype="complex128", content="metadata", statistics=None)
    pairs = (*DEEP_TENSORS[:4], (complex_one, value), *DEEP_TENSORS[5:])
    inspector = opened(TracePosition(step=4), "node")
    assert not [text for text in labels(inspector) if "real numbers only" in text]
    state.show(MemoryReader(deep_trace(), pairs))
    state.go_to(4)
    assert [text for text in labels(inspector) if "For real numbers only" in text]


def test_a_selected_node_shows_its_formula(opened: Opener, state: ViewerState) -> None:
    inspector = opened(TracePosition(step=5), "node")
    state.select(2)
    assert blocks(inspector) == ["grad_self = expand(grad, self.shape)"]


def test_the_position_is_available_to_screen_readers(opened: Opener) -> None:
    inspector = opened(replace(BACK, line=1, op=1), "op")
    assert inspector.accessibleDescription().startswith(
        "step 5 of 8, backward, line 10, aten::mm: aten::mm takes"
    )


@pytest.mark.parametrize("number", [3, 5])
def test_custom_functions_and_phases_have_no_formula(opened: Opener, number: int) -> None:
    inspector = opened(TracePosition(step=number), "node")
    assert "formula" not in [section.key for section in inspector.sections]

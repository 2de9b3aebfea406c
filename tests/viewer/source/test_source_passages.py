"""Which source passage is shown at a position, and its title."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.model.trace import Trace
from gradviz.viewer.source.source_passages import SourceContent, source_content_at
from tests.inside_builder import INSIDE_TENSORS, inside_trace, raising_trace
from tests.viewer.traces import MemoryReader


def index(trace: Trace | None = None) -> TraceIndex:
    reader = MemoryReader(trace or inside_trace(), INSIDE_TENSORS)
    return index_trace(reader.trace(), reader.value)


def shown(place: TracePosition, trace: Trace | None = None) -> SourceContent:
    return source_content_at(RevealedTrace.of_all(index(trace)), place)


def block(place: TracePosition, trace: Trace | None = None) -> tuple[int, int]:
    active = shown(place, trace).active
    assert active is not None
    return active.block


@pytest.mark.parametrize(
    ("place", "first", "about"),
    [
        (TracePosition(step=1), 12, ""),
        (
            TracePosition(step=1, stage="save"),
            12,
            "It has returned; torch saves what backward needs.",
        ),
        (TracePosition(step=1, stage="forward", line=1), 14, "This line has just run."),
        (TracePosition(step=1, stage="forward", line=1, op=0), 14, "This line is running."),
        (TracePosition(step=5), 22, ""),
        (
            TracePosition(step=5, stage="engine"),
            22,
            "It has returned; the engine checks its gradients.",
        ),
        (TracePosition(step=5, stage="backward", line=2), 6, "This line has just run."),
    ],
)
def test_a_step_of_a_function(place: TracePosition, first: int, about: str) -> None:
    assert block(place)[0] == first
    assert shown(place).about == about


def test_a_statement_of_several_lines_is_one_block() -> None:
    assert block(TracePosition(step=5, stage="backward", line=5)) == (26, 28)


def test_both_halves_of_a_function_are_there() -> None:
    forward, backward = shown(TracePosition(step=1)), shown(TracePosition(step=5))
    assert forward.active is not None
    assert forward.other is not None
    assert (forward.active.phase, forward.other.phase) == ("forward", "backward")
    # Of the other half nothing has run yet; forward is told with what it did then.
    assert not forward.other.reaches
    assert backward.other is not None
    assert (backward.other.phase, backward.other.step) == ("forward", 1)
    assert backward.other.reaches[0][1].last((1, 19)) is not None


def located(line: int) -> Trace:
    """The same, where the line that started backward is known."""
    trace = inside_trace()
    where = replace(trace.calls[0].forward, line=line, function="")  # type: ignore[type-var]
    steps = list(trace.steps)
    for at in (1, 2):
        steps[at] = replace(steps[at], location=where)  # type: ignore[call-arg]
    return replace(trace, steps=tuple(steps))


@pytest.mark.parametrize(
    ("step", "about"),
    [
        (2, "This line called sum."),
        (3, "This line starts the backward pass."),
        (4, "SumBackward0 is part of torch. Line 34 created it."),
        (6, "Torch accumulates input.grad; this line started backward."),
        (8, "The backward pass that this line started has ended."),
    ],
)
def test_steps_of_torch_lead_to_the_line_of_the_user(step: int, about: str) -> None:
    found = shown(TracePosition(step=step), located(34))
    assert found.about == about
    assert found.active is not None
    assert (found.active.block, found.active.phase) == ((34, 34), "other")
    assert found.other is None


def test_a_node_that_no_known_line_created_leads_to_the_start_of_its_pass() -> None:
    trace = located(34)
    created = replace(trace.steps[1], location=None)  # type: ignore[call-arg]
    steps = (trace.steps[0], created, *trace.steps[2:])
    found = shown(TracePosition(step=4), replace(trace, steps=steps))
    assert found.about == "SumBackward0 is part of torch; this line started backward."
    assert found.active is not None
    assert found.active.block == (34, 34)


def test_a_step_without_a_line_has_no_text_but_says_what_it_is() -> None:
    found = shown(TracePosition(step=3))
    assert found.active is None
    assert found.about == "This line starts the backward pass."


def test_an_exception_is_shown_where_it_was_raised() -> None:
    found = shown(TracePosition(step=6), raising_trace())
    assert found.active is not None
    assert found.active.block == (29, 29)
    assert found.active.raised == "RuntimeError was raised here."
    assert found.active.phase == "backward"
    assert found.other is not None


def test_quiz_mode_hides_executed_lines() -> None:
    hidden = RevealedTrace(index=index(), until=4, hidden_step=5)
    found = source_content_at(hidden, TracePosition(step=5))
    assert found.active is not None
    assert (found.active.reaches, found.reach) == ((), None)
    assert found.active.place_of(23) is None
    # What forward did was told before.
    assert found.other is not None
    assert found.other.reaches


def test_a_line_leads_to_its_last_run_else_to_its_first() -> None:
    forward = shown(TracePosition(step=1, stage="forward", line=5)).active
    assert forward is not None
    assert forward.place_of(17) == TracePosition(step=1, stage="forward", line=5)
    assert forward.place_of(18) == TracePosition(step=1, stage="forward", line=4)
    assert forward.place_of(19) == TracePosition(step=1, stage="forward", line=8)
    assert forward.place_of(16) is None
    assert forward.adjacent_place(18, 1) == TracePosition(step=1, stage="forward", line=6)
    assert forward.adjacent_place(17, -1) == TracePosition(step=1, stage="forward", line=3)

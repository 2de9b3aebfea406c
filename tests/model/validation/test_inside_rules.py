"""A violation of each invariant of stages, lines and ops is detected."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from gradviz.model.inside import Inside, StageKind, StageRecord
from gradviz.model.item import Item
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from tests.inside_builder import inside_trace

TRACE = inside_trace()
FAR_ITEM = Item(name="x", kind="tensor", tensor=99)


def test_what_was_recorded_is_valid() -> None:
    assert validate(TRACE) == []


def with_part(step: int, stage: StageKind, **changes: Any) -> Trace:
    def changed(inside: Inside) -> Inside:
        parts = (replace(each, **changes) if each.stage == stage else each for each in inside.parts)
        return replace(inside, parts=tuple(parts)) if inside.id == step else inside

    return replace(TRACE, insides=tuple(map(changed, TRACE.insides)))


def part(step: int, stage: StageKind) -> StageRecord:
    inside = next(each for each in TRACE.insides if each.id == step)
    found = inside.part(stage)
    assert found is not None
    return found


BACKWARD = part(5, "backward")
CALLED = next(at for at, frame in enumerate(BACKWARD.frames) if frame.caller is not None)
WITHIN = next(at for at, line in enumerate(BACKWARD.lines) if line.frame == CALLED)


def with_frame(at: int, **changes: Any) -> Trace:
    frames = list(BACKWARD.frames)
    frames[at] = replace(frames[at], **changes)
    return with_part(5, "backward", frames=tuple(frames))


def with_line(at: int, **changes: Any) -> Trace:
    lines = list(BACKWARD.lines)
    lines[at] = replace(lines[at], **changes)
    return with_part(5, "backward", lines=tuple(lines))


def with_op(at: int, **changes: Any) -> Trace:
    ops = list(BACKWARD.ops)
    ops[at] = replace(ops[at], **changes)
    return with_part(5, "backward", ops=tuple(ops))


FIRST = BACKWARD.lines[0].location
BROKEN = [
    (replace(TRACE, insides=TRACE.insides[::-1]), "are out of order or belong to no step"),
    (replace(TRACE, insides=(replace(TRACE.insides[0], id=99),)), "of step 99 are out of order"),
    (replace(TRACE, insides=(Inside(id=5, parts=(BACKWARD, BACKWARD)),)), "has a duplicate stage"),
    (replace(TRACE, insides=(Inside(id=1, parts=(BACKWARD,)),)), "its kind does not allow"),
    (replace(TRACE, insides=(Inside(id=3, parts=(BACKWARD,)),)), "its kind does not allow"),
    (with_part(5, "backward", more_lines=-1), "an impossible number of lines or ops"),
    (with_part(5, "backward", more_ops=1 << 40), "an impossible number of lines or ops"),
    (with_frame(0, arguments=(FAR_ITEM,)), "call 0 refers to tensor 99"),
    (with_frame(0, caller=0), "call 0 was made by a line that does not exist"),
    (with_frame(CALLED, caller=WITHIN), "was made by a line that does not exist"),
    (with_frame(CALLED, caller=-1), "was made by a line that does not exist"),
    (with_frame(CALLED, caller=len(BACKWARD.lines)), "was made by a line that does not exist"),
    (with_frame(0, function=replace(FIRST, line=-1)), "is in line -1 of a source with"),
    (with_line(0, frame=CALLED), "ran before the line that called it"),
    (with_line(0, frame=99), "line 0 belongs to a call that does not exist"),
    (with_line(0, frame=-1), "line 0 belongs to a call that does not exist"),
    (with_line(0, changes=(FAR_ITEM,)), "line 0 refers to tensor 99"),
    (with_line(0, result=FAR_ITEM), "line 0 refers to tensor 99"),
    (with_line(0, last_line=FIRST.line - 1), "line 0 has an invalid range of source lines"),
    (with_line(0, last_line=1 << 40), "line 0 is in line 1099511627776 of a source with"),
    (with_op(0, inputs=(FAR_ITEM,)), "op 0 refers to tensor 99"),
    (with_op(0, line=99), "op 0 was called by a line that does not exist"),
    (with_op(0, line=-1), "op 0 was called by a line that does not exist"),
    (with_op(0, writes=(99,)), "op 0 writes into an argument that does not exist"),
    (with_op(0, location=replace(FIRST, line=1 << 40)), "op 0 is in line 1099511627776"),
]  # fmt: skip


@pytest.mark.parametrize(("trace", "problem"), BROKEN)
def test_broken_invariant_is_named(trace: Trace, problem: str) -> None:
    assert any(problem in each for each in validate(trace))

"""Places in a run, and the ways between them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position import finding_positions
from gradviz.analysis.position.executed_lines import (
    ExecutionLimit,
    execution_up_to,
    no_execution,
    unlimited_execution,
)
from gradviz.analysis.position.navigation import (
    count_positions,
    nearest_at_level,
    next_place,
    position_at_number,
    position_number,
    positions_in_step,
    previous_place,
    step_into,
    step_out,
)
from gradviz.analysis.position.stage_order import stage_order
from gradviz.analysis.position.trace_position import (
    LEVELS,
    Level,
    TracePosition,
    children,
    depth_of,
    is_finer,
    parent,
    stage_record_at,
    stages_of,
)
from gradviz.catalogue.finding_kinds import FindingKind, finding_kind
from gradviz.model.finding import Finding, Severity
from gradviz.model.inside import Inside, StageKind, StageRecord, UserFrame
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, PassEndStep
from gradviz.model.validation.trace_rules import validate
from gradviz.text.repeated_findings import finding_text
from tests import inside_builder
from tests.builders import linear_trace
from tests.inside_builder import at, backward_part, inside_trace, line, op
from tests.recorder.recorded_run import record_run

# Stepping through a trace on every level: complete, in order and reversible.


each_level = pytest.mark.parametrize("level", LEVELS)


def walk(index: TraceIndex, level: Level) -> list[TracePosition]:
    """All positions of a level, from the first step on."""
    found = [nearest_at_level(index, TracePosition(step=1), level)]
    while (place := next_place(index, found[-1], level)) is not None:
        found.append(place)
        assert len(found) < 10_000
    return found


def walk_back(index: TraceIndex, start: TracePosition, level: Level) -> list[TracePosition]:
    found = [start]
    while (place := previous_place(index, found[-1], level)) is not None:
        found.append(place)
        assert len(found) < 10_000
    return found


@st.composite
def parts(draw: st.DrawFn, stage: StageKind) -> StageRecord:
    """A stage in which lines call functions, whose lines call functions; ops anywhere."""
    clock = iter(range(1_000_000))
    frames = [UserFrame(function=at(1, "f"), arguments=(), caller=None)]
    lines, ops = [], []
    open_frames = [0]
    for _ in range(draw(st.integers(0, 12))):
        doing = draw(st.sampled_from(("line", "op", "call", "return")))
        if doing == "line":
            lines.append(line(at(1, "f"), frame=open_frames[-1], started_ns=next(clock)))
        elif doing == "call" and lines and lines[-1].frame == open_frames[-1]:
            caller = len(lines) - 1
            frames.append(UserFrame(function=at(1, "g"), arguments=(), caller=caller))
            open_frames.append(len(frames) - 1)
            lines.append(line(at(2, "g"), frame=open_frames[-1], started_ns=next(clock)))
        elif doing == "return" and len(open_frames) > 1:
            open_frames.pop()
        elif doing == "op":
            running = [i for i, each in enumerate(lines) if each.frame == open_frames[-1]]
            here = running[-1] if running else None
            ops.append(op("aten::mm", (), (), here, started_ns=next(clock)))
    bare = inside_builder.part(stage)
    if not lines:
        frames = []
    return replace(bare, frames=tuple(frames), lines=tuple(lines), ops=tuple(ops))


@st.composite
def traces(draw: st.DrawFn) -> TraceIndex:
    """The linear scene with stages in some of its steps."""
    index = index_trace(linear_trace())
    insides = []
    for step in index.trace.steps:
        found: list[StageRecord] = []
        for stage in stages_of(index, step):
            made = draw(parts(stage))
            if made.lines or made.ops:
                found.append(made)
        if draw(st.booleans()) and found:
            insides.append(Inside(id=step.number, parts=tuple(found)))
    trace = replace(index.trace, insides=tuple(insides))
    assert validate(trace) == []
    return index_trace(trace)


def leaves(index: TraceIndex, place: TracePosition) -> list[TracePosition]:
    inside = children(index, place)
    return [leaf for each in inside for leaf in leaves(index, each)] or [place]


@settings(max_examples=60)
@given(traces())
def test_a_walk_goes_back_as_it_came(index: TraceIndex) -> None:
    for level in LEVELS:
        there = walk(index, level)
        assert walk_back(index, there[-1], level) == there[::-1]
        assert len(set(there)) == len(there)
        if level != "pass":
            assert {place.step for place in there} == set(range(1, 9))


@settings(max_examples=60)
@given(traces())
def test_the_walk_over_ops_meets_whatever_has_nothing_inside(index: TraceIndex) -> None:
    steps = [TracePosition(step=number) for number in range(1, 9)]
    assert walk(index, "op") == [leaf for step in steps for leaf in leaves(index, step)]


@settings(max_examples=60)
@given(traces())
def test_the_walk_over_lines_passes_over_what_they_call(index: TraceIndex) -> None:
    for place in walk(index, "line"):
        part = stage_record_at(index, place)
        if place.line is not None:
            assert part is not None
            assert depth_of(part, place.line) == 0
        elif part is not None:
            assert not part.lines
    for number in range(1, 9):
        assert list(positions_in_step(index, number, "line")) == [
            place for place in walk(index, "line") if place.step == number
        ]


@settings(max_examples=60)
@given(traces())
def test_out_leads_back_from_where_into_led(index: TraceIndex) -> None:
    waiting = [TracePosition(step=number) for number in range(1, 9)]
    while waiting:
        place = waiting.pop()
        inside = children(index, place)
        assert all(parent(index, each) == place for each in inside)
        found = step_into(index, place, place.level)
        assert (found is None) == (not inside)
        if found is not None:
            assert found[0] in inside
            assert step_out(index, *found) == (place, place.level)
        waiting += inside


@settings(max_examples=30)
@given(traces())
def test_every_position_has_one_on_each_enclosing_and_nested_level(index: TraceIndex) -> None:
    places = [leaf for number in range(1, 9) for leaf in leaves(index, TracePosition(step=number))]
    for place in places:
        for level in LEVELS[1:]:
            found = nearest_at_level(index, place, level)
            assert found.step == place.step
            assert not is_finer(found.level, level)
            assert nearest_at_level(index, found, level) == found


@settings(max_examples=60)
@given(traces())
def test_units_can_be_counted_and_told_one_by_one(index: TraceIndex) -> None:
    for level in LEVELS[1:]:
        for number in range(1, 9):
            there = positions_in_step(index, number, level)
            assert count_positions(index, number, level) == len(there)
            for at_, place in enumerate(there):
                assert position_at_number(index, number, level, at_) == place
                assert position_number(index, place, level) == (at_, len(there))
            with pytest.raises(IndexError):
                position_at_number(index, number, level, len(there))


def test_into_a_line_that_calls_a_function_leads_to_its_lines() -> None:
    index = index_trace(inside_trace())
    calls = next(
        place
        for place in walk(index, "line")
        if any(each.line is not None and each.op is None for each in children(index, place))
    )
    found = step_into(index, calls, "line")
    assert found is not None
    inner, level = found
    part = stage_record_at(index, inner)
    assert part is not None
    assert level == "line"
    assert inner.line is not None
    assert part.lines[inner.line].location.function == "scaled"
    assert depth_of(part, inner.line) == 1
    # Stepping over inside of it goes through its lines, and then on after the call.
    seen = [inner]
    while depth_of(part, seen[-1].line) == 1:
        after = next_place(index, seen[-1], "line")
        assert after is not None
        seen.append(after)
    assert len(seen) == 3
    assert seen[-1] == next_place(index, calls, "line")
    assert previous_place(index, seen[-1], "line") == calls


def test_passes_are_walked_by_their_first_steps() -> None:
    index = index_trace(linear_trace())
    assert walk(index, "pass") == [TracePosition(step=1), TracePosition(step=3)]
    assert nearest_at_level(index, TracePosition(step=6), "pass") == TracePosition(step=3)
    assert step_out(index, TracePosition(step=6), "node") == (TracePosition(step=3), "pass")
    assert step_into(index, TracePosition(step=3), "pass") == (TracePosition(step=3), "node")
    assert step_out(index, TracePosition(step=3), "pass") is None


def test_stages_follow_from_the_steps_alone() -> None:
    index = index_trace(linear_trace())
    paths = {
        step.number: stages_of(index, step)
        for step in index.trace.steps
        if not isinstance(step, PassBeginStep | PassEndStep)
    }
    kinds = {number: type(step_at(index, number)) for number in paths}
    assert {kinds[number] for number in paths} == {ForwardStep, NodeStep, AccumulateStep}
    for number, stages in paths.items():
        custom = number in (1, 5)
        if kinds[number] is ForwardStep:
            assert stages == (("forward", "save") if custom else ("forward",))
        elif kinds[number] is NodeStep:
            assert stages == (("backward", "engine") if custom else ("backward",))
        else:
            assert stages == ("accumulate",)
    assert stages_of(index, step_at(index, 3)) == ()


def test_whatever_was_recorded_is_a_stage() -> None:
    trace = inside_trace()
    first = trace.insides[0]
    forward = first.part("forward")
    assert forward is not None
    # No method of this Function has that name: a stranger's file may say so.
    parts = (replace(forward, stage="setup_context"),)
    index = index_trace(replace(trace, insides=(replace(first, parts=parts), *trace.insides[1:])))
    assert validate(index.trace) == []
    assert stages_of(index, step_at(index, 1)) == ("forward", "setup_context", "save")
    for level in LEVELS[1:]:
        steps = [place.step for place in walk(index, level)]
        assert sorted(set(steps)) == list(range(1, len(index.trace.steps) + 1))


@each_level
def test_a_trace_without_insides_can_be_walked_on_each_level(level: Level) -> None:
    index = index_trace(linear_trace())
    there = walk(index, level)
    assert all(place.line is None and place.op is None for place in there)
    assert walk_back(index, there[-1], level) == there[::-1]


def test_ops_come_as_they_began_also_around_calls() -> None:
    """``y = helper(x) * 2``: the product comes after what the helper does."""
    frames = (
        UserFrame(function=at(1, "forward"), arguments=(), caller=None),
        UserFrame(function=at(5, "helper"), arguments=(), caller=0),
    )
    lines = (
        line(at(2, "forward"), started_ns=1),
        line(at(6, "helper"), frame=1, started_ns=2),
        line(at(3, "forward"), started_ns=6),
    )
    ops = (
        op("aten::exp", (), (), 1, started_ns=3),
        op("aten::mul", (), (), 0, started_ns=5),
    )
    part = replace(inside_builder.part("forward"), frames=frames, lines=lines, ops=ops)
    order = stage_order(part)
    assert order.finest == [(1, 0), (0, 1), (2, None)]
    assert order.inside(0) == [(1, None), (0, 1)]
    assert order.depths == [0, 1, 0]
    assert order.adjacent_line(0, 1) == 2
    assert order.adjacent_line(1, 1) == 2
    assert order.adjacent_line(2, -1) == 0


def test_levels_are_in_order() -> None:
    assert get_args(Level) == LEVELS
    assert is_finer("op", "line")
    assert not is_finer("node", "node")


# Which lines have run up to a position, and the local variables there.


SETS, CALLS, IN_PLACE, RETURNS, ARRAY, DELETES = 0, 1, 2, 3, 4, 7


def names(reach: ExecutionLimit, frame: int = 0) -> list[str]:
    return [local.item.name for local in reach.locals(frame)]


def test_lines_ran_up_to_the_place_and_not_beyond() -> None:
    reach = execution_up_to(backward_part(), ARRAY, over=True)
    assert [reach.last((1, row)) for row in (23, 24, 25, 26)] == [SETS, CALLS, ARRAY, None]
    assert reach.first((1, 26)) == 5
    assert reach.first((1, 33)) is None


def test_before_its_stage_no_line_has_run_and_after_it_all_have() -> None:
    rows = [(1, line) for line in (6, 23, 31)]
    assert [no_execution(backward_part()).last(row) for row in rows] == [None] * 3
    assert [unlimited_execution(backward_part()).last(row) for row in rows] == [2, 0, 8]


def test_a_line_that_still_runs_has_set_nothing_yet() -> None:
    inside = execution_up_to(backward_part(), IN_PLACE, over=True)
    assert inside.last((1, 24)) == CALLS
    assert inside.setter((1, 24)) is None
    assert "doubled" not in names(inside)
    assert execution_up_to(backward_part(), RETURNS + 1, over=True).setter((1, 24)) == CALLS


def test_a_statement_as_a_whole_has_run_with_what_it_called() -> None:
    whole = execution_up_to(backward_part(), CALLS, over=True)
    assert whole.last((1, 7)) == RETURNS
    assert execution_up_to(backward_part(), CALLS, over=False).last((1, 7)) is None


def test_locals_are_those_of_the_place() -> None:
    assert names(execution_up_to(backward_part(), SETS, over=False)) == ["ctx", "grad_output"]
    after = ["ctx", "grad_output", "input", "weight", "bias"]
    assert names(execution_up_to(backward_part(), SETS, over=True)) == after
    assert "array" in names(execution_up_to(backward_part(), ARRAY, over=True))
    assert "array" not in names(execution_up_to(backward_part(), DELETES, over=True))


def test_what_the_line_has_set_is_fresh() -> None:
    reach = execution_up_to(backward_part(), ARRAY, over=True)
    assert [local.item.name for local in reach.locals(0) if local.fresh] == ["array"]


def test_a_called_function_has_its_own_locals_and_a_stack() -> None:
    reach = execution_up_to(backward_part(), IN_PLACE, over=True)
    assert reach.stack() == (0, 1)
    assert reach.frame == 1
    tensor, factor = reach.locals(1)
    assert (tensor.item.tensor, factor.item.text) == (10, "2.0")
    # Before the line it was another tensor: the argument.
    before = execution_up_to(backward_part(), IN_PLACE, over=False)
    assert before.locals(1)[0].item.tensor == 9


def test_later_turns_of_a_loop_replace_earlier_ones() -> None:
    forward = inside_trace().insides[0].parts[0]
    row = (1, 17)
    first, second, end = (execution_up_to(forward, at, over=True) for at in (3, 5, 7))
    assert [each.times(row) for each in (first, second, end)] == [1, 2, 3]
    assert first.setter(row) == 3
    assert second.setter(row) == 5
    # The head has run once more and set nothing: what it set before still holds.
    assert end.setter(row) == 5


def test_a_line_runs_again_later_and_ran_before() -> None:
    reach = execution_up_to(inside_trace().insides[0].parts[0], 4, over=True)
    assert (reach.adjacent_run((1, 17), 1), reach.adjacent_run((1, 17), -1)) == (5, 3)
    assert (reach.adjacent_run((1, 18), 1), reach.adjacent_run((1, 18), -1)) == (6, None)
    assert reach.adjacent_run((1, 13), 1) is None


# The order in which findings are listed.


def finding(number: int, code: str, severity: Severity, step: int | None = None) -> Finding:
    return Finding(id=number, code=code, severity=severity, message="", step=step, node=None)


def test_the_most_severe_come_first_and_those_about_the_recording_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes: list[str] = []

    def kind(code: str) -> FindingKind:
        codes.append(code)
        return finding_kind(code)

    monkeypatch.setattr(finding_positions, "finding_kind", kind)
    found = (
        finding(1, "lines_left_out", "error"),
        finding(2, "note", "info"),
        finding(3, "note", "warning", step=7),
        finding(4, "note", "warning", step=2),
        finding(5, "note", "error"),
    )
    ordered = finding_positions.ordered_findings(found * 100)
    assert [each.id for each in ordered[::100]] == [5, 4, 3, 2, 1]
    assert sorted(codes) == ["lines_left_out", "note"], "each kind is looked up once"


def test_what_a_loop_repeats_is_one_group(tmp_path: Path) -> None:
    def double(gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2

    def run() -> None:
        w, v = (torch.ones(2, requires_grad=True) for _ in range(2))
        for each in (w, v):
            each.register_hook(double)
        for _ in range(3):
            y = w * v
            y.register_hook(double)
            y.exp().sum().backward()

    index = record_run(tmp_path, run).index
    groups = finding_positions.grouped_findings(index, index.trace.findings)
    assert [len(group) for group in groups] == [3, 3, 3]
    for group in groups:
        # Of the same tensor, in one step of each iteration.
        assert len({each.message.split(" changes ")[0] for each in group}) == 1
        assert len({each.step for each in group}) == 3
        assert finding_text(group).endswith(" Likewise in 2 later steps.")
        assert finding_text(group[:1]) == group[0].message

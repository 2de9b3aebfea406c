"""Walking through a trace on every level: complete, in order, and the same way back."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.model.index import Index, index_of
from gradviz.model.inside import Frame, Inside, Part, StageKind
from gradviz.model.levels import at_level, into, next_place, out, previous_place
from gradviz.model.part_order import order_of
from gradviz.model.places import (
    LEVELS,
    Level,
    Place,
    children,
    depth_of,
    is_finer,
    parent,
    part_at,
    stages_of,
)
from gradviz.model.query import step_at
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, PassEndStep
from gradviz.model.units import position_of, unit_at, unit_count, units
from gradviz.model.validate import validate
from tests import inside_builder
from tests.builders import linear_trace
from tests.inside_builder import at, inside_trace, line, op

each_level = pytest.mark.parametrize("level", LEVELS)


def walk(index: Index, level: Level) -> list[Place]:
    """All places of a level, from the first step on."""
    found = [at_level(index, Place(step=1), level)]
    while (place := next_place(index, found[-1], level)) is not None:
        found.append(place)
        assert len(found) < 10_000
    return found


def walk_back(index: Index, start: Place, level: Level) -> list[Place]:
    found = [start]
    while (place := previous_place(index, found[-1], level)) is not None:
        found.append(place)
        assert len(found) < 10_000
    return found


@st.composite
def parts(draw: st.DrawFn, stage: StageKind) -> Part:
    """A stage in which lines call functions, whose lines call functions; ops anywhere."""
    clock = iter(range(1_000_000))
    frames = [Frame(function=at(1, "f"), arguments=(), caller=None)]
    lines, ops = [], []
    open_frames = [0]
    for _ in range(draw(st.integers(0, 12))):
        doing = draw(st.sampled_from(("line", "op", "call", "return")))
        if doing == "line":
            lines.append(line(at(1, "f"), frame=open_frames[-1], started_ns=next(clock)))
        elif doing == "call" and lines and lines[-1].frame == open_frames[-1]:
            caller = len(lines) - 1
            frames.append(Frame(function=at(1, "g"), arguments=(), caller=caller))
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
def traces(draw: st.DrawFn) -> Index:
    """The linear scene with something inside of some of its steps."""
    index = index_of(linear_trace())
    insides = []
    for step in index.trace.steps:
        found: list[Part] = []
        for stage in stages_of(index, step):
            made = draw(parts(stage))
            if made.lines or made.ops:
                found.append(made)
        if draw(st.booleans()) and found:
            insides.append(Inside(id=step.number, parts=tuple(found)))
    trace = replace(index.trace, insides=tuple(insides))
    assert validate(trace) == []
    return index_of(trace)


def leaves(index: Index, place: Place) -> list[Place]:
    inside = children(index, place)
    return [leaf for each in inside for leaf in leaves(index, each)] or [place]


@settings(max_examples=60, deadline=None)
@given(traces())
def test_a_walk_goes_back_as_it_came(index: Index) -> None:
    for level in LEVELS:
        there = walk(index, level)
        assert walk_back(index, there[-1], level) == there[::-1]
        assert len(set(there)) == len(there)
        if level != "pass":
            assert {place.step for place in there} == set(range(1, 9))


@settings(max_examples=60, deadline=None)
@given(traces())
def test_the_walk_over_ops_meets_whatever_has_nothing_inside(index: Index) -> None:
    steps = [Place(step=number) for number in range(1, 9)]
    assert walk(index, "op") == [leaf for step in steps for leaf in leaves(index, step)]


@settings(max_examples=60, deadline=None)
@given(traces())
def test_the_walk_over_lines_passes_over_what_they_call(index: Index) -> None:
    for place in walk(index, "line"):
        part = part_at(index, place)
        if place.line is not None:
            assert part is not None
            assert depth_of(part, place.line) == 0
        elif part is not None:
            assert not part.lines
    for number in range(1, 9):
        assert list(units(index, number, "line")) == [
            place for place in walk(index, "line") if place.step == number
        ]


@settings(max_examples=60, deadline=None)
@given(traces())
def test_out_leads_back_from_where_into_led(index: Index) -> None:
    waiting = [Place(step=number) for number in range(1, 9)]
    while waiting:
        place = waiting.pop()
        inside = children(index, place)
        assert all(parent(index, each) == place for each in inside)
        found = into(index, place, place.level)
        assert (found is None) == (not inside)
        if found is not None:
            assert found[0] in inside
            assert out(index, *found) == (place, place.level)
        waiting += inside


@settings(max_examples=30, deadline=None)
@given(traces())
def test_every_place_has_one_on_each_level_that_holds_it_or_lies_in_it(index: Index) -> None:
    places = [leaf for number in range(1, 9) for leaf in leaves(index, Place(step=number))]
    for place in places:
        for level in LEVELS[1:]:
            found = at_level(index, place, level)
            assert found.step == place.step
            assert not is_finer(found.level, level)
            assert at_level(index, found, level) == found


@settings(max_examples=60, deadline=None)
@given(traces())
def test_units_can_be_counted_and_told_one_by_one(index: Index) -> None:
    for level in LEVELS[1:]:
        for number in range(1, 9):
            there = units(index, number, level)
            assert unit_count(index, number, level) == len(there)
            for at_, place in enumerate(there):
                assert unit_at(index, number, level, at_) == place
                assert position_of(index, place, level) == (at_, len(there))
            with pytest.raises(IndexError):
                unit_at(index, number, level, len(there))


def test_into_a_line_that_calls_a_function_leads_to_its_lines() -> None:
    index = index_of(inside_trace())
    calls = next(
        place
        for place in walk(index, "line")
        if any(each.line is not None and each.op is None for each in children(index, place))
    )
    found = into(index, calls, "line")
    assert found is not None
    inner, level = found
    part = part_at(index, inner)
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
    index = index_of(linear_trace())
    assert walk(index, "pass") == [Place(step=1), Place(step=3)]
    assert at_level(index, Place(step=6), "pass") == Place(step=3)
    assert out(index, Place(step=6), "node") == (Place(step=3), "pass")
    assert into(index, Place(step=3), "pass") == (Place(step=3), "node")
    assert out(index, Place(step=3), "pass") is None


def test_stages_follow_from_the_steps_alone() -> None:
    index = index_of(linear_trace())
    told = {
        step.number: stages_of(index, step)
        for step in index.trace.steps
        if not isinstance(step, PassBeginStep | PassEndStep)
    }
    kinds = {number: type(step_at(index, number)) for number in told}
    assert {kinds[number] for number in told} == {ForwardStep, NodeStep, AccumulateStep}
    for number, stages in told.items():
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
    index = index_of(replace(trace, insides=(replace(first, parts=parts), *trace.insides[1:])))
    assert validate(index.trace) == []
    assert stages_of(index, step_at(index, 1)) == ("forward", "setup_context", "save")
    for level in LEVELS[1:]:
        steps = [place.step for place in walk(index, level)]
        assert sorted(set(steps)) == list(range(1, len(index.trace.steps) + 1))


@each_level
def test_a_trace_without_insides_can_be_walked_on_each_level(level: Level) -> None:
    index = index_of(linear_trace())
    there = walk(index, level)
    assert all(place.line is None and place.op is None for place in there)
    assert walk_back(index, there[-1], level) == there[::-1]


def test_ops_come_as_they_began_also_around_calls() -> None:
    """``y = helper(x) * 2``: the product comes after what the helper does."""
    frames = (
        Frame(function=at(1, "forward"), arguments=(), caller=None),
        Frame(function=at(5, "helper"), arguments=(), caller=0),
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
    order = order_of(part)
    assert order.finest == [(1, 0), (0, 1), (2, None)]
    assert order.inside(0) == [(1, None), (0, 1)]
    assert order.depths == [0, 1, 0]
    assert order.line_beside(0, 1) == 2
    assert order.line_beside(1, 1) == 2
    assert order.line_beside(2, -1) == 0


def test_levels_are_in_order() -> None:
    assert get_args(Level) == LEVELS
    assert is_finer("op", "line")
    assert not is_finer("node", "node")

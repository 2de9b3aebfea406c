"""Breakpoints stop where their condition holds, and tracks show where."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.breakpoints.breakpoint import (
    NEARBY,
    AtFunction,
    AtLine,
    AtNode,
    LineMatch,
    PassDirection,
    WhenDtype,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
    track_line,
)
from gradviz.analysis.breakpoints.hits import (
    count_hits_until,
    finest_positions,
    next_hit,
    previous_hit,
    sorted_positions,
)
from gradviz.analysis.index.step_queries import node_at_step
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.inside import Inside
from gradviz.model.item import tensor_item
from gradviz.model.step import AccumulateStep, EngineConversion, NodeStep
from gradviz.model.trace import Trace
from tests.analysis.breakpoints.find_hits import keys, look
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.inside_builder import (
    INSIDE_TENSORS,
    at,
    dying_trace,
    inside_trace,
    line,
    part,
    raising_trace,
)
from tests.viewer.traces import Pairs

# Breakpoints on nodes, functions, lines and events, in handwritten traces.


FILE = "linear.py"


@pytest.mark.parametrize("trace", [inside_trace(), raising_trace()])
def test_a_node_is_met_at_every_step_that_is_about_it(trace: Trace) -> None:
    finder = look(trace, INSIDE_TENSORS)
    begins = {span.first for span in finder.index.passes}
    for node in trace.nodes:
        found = finder.positions_of(AtNode(node=node.id, name=node.name))
        about = [
            step.number
            for step in trace.steps
            if node_at_step(finder.index, step.number) == node.id and step.number not in begins
        ]
        assert [place.key for place in found.places] == [(number, -1, -1, -1) for number in about]
        assert (found.why is None) == bool(about)


@pytest.mark.parametrize(
    ("direction", "steps"), [("both", [1, 5]), ("forward", [1]), ("backward", [5])]
)
def test_one_direction_of_a_node_alone(direction: PassDirection, steps: list[int]) -> None:
    finder = look(linear_trace(), LINEAR_TENSORS)
    node = AtNode(node=1, name="LinearFunctionBackward", direction=direction)
    function = AtFunction(name="LinearFunction", direction=direction)
    for target in (node, function):
        assert [place.step for place in finder.positions_of(target).places] == steps


def test_why_a_node_is_never_met() -> None:
    finder = look(raising_trace(), INSIDE_TENSORS)
    assert finder.positions_of(AtNode(node=9, name="MulBackward0")).why == "no node"
    assert finder.positions_of(AtNode(node=1, name="MulBackward0")).why == "other node"
    assert finder.positions_of(AtNode(node=4, name="AccumulateGrad")).why == "node not run"
    assert finder.positions_of(AtFunction(name="mul")).why == "no function"
    assert finder.positions_of(AtFunction(name="AccumulateGrad")).why == "function not run"


def test_functions_nodes_and_ops_by_name() -> None:
    finder = look(inside_trace(), INSIDE_TENSORS)
    expected = {
        "sum": [(2, -1, -1, -1), (4, -1, -1, -1)],
        "SumBackward0": [(2, -1, -1, -1), (4, -1, -1, -1)],
        "AccumulateGrad": [(6, -1, -1, -1), (7, -1, -1, -1)],
        "aten::mm": [(1, 0, 1, 0), (5, 3, 6, 7)],
        "Tensor.numpy": [(5, 3, 4, 2), (5, 3, 5, 4)],
    }
    for name, found in expected.items():
        assert keys(finder.positions_of(AtFunction(name=name)).places) == found, name
    backward = AtFunction(name="aten::mm", direction="backward")
    assert keys(finder.positions_of(backward).places) == [(5, 3, 6, 7)]


def test_every_line_of_a_trace_is_met_where_it_ran() -> None:
    trace = inside_trace()
    finder = look(trace, INSIDE_TENSORS)
    for number in range(1, 36):
        ran = {
            TracePosition(step=inside.id, stage=each.stage, line=position)
            for inside in trace.insides
            for each in inside.parts
            for position, statement in enumerate(each.lines)
            if statement.location.line <= number <= statement.last_line
        }
        found = finder.positions_of(AtLine(path=FILE, line=number))
        if ran:
            assert set(found.places) == ran
        elif number in (12, 22, 34):
            continue
        else:
            assert (found.places, found.why) == ((), "line not run"), number
    assert finder.positions_of(AtLine(path="other.py", line=3)).why == "no file"


def test_definitions_and_lines_outside_of_functions() -> None:
    finder = look(inside_trace(), INSIDE_TENSORS)
    assert finder.positions_of(AtLine(path=FILE, line=12)).places == (
        TracePosition(step=1, stage="forward"),
    )
    assert finder.positions_of(AtLine(path=FILE, line=22)).places == (
        TracePosition(step=5, stage="backward"),
    )
    assert keys(finder.positions_of(AtLine(path=FILE, line=34)).places) == [(2, 0, -1, 0)]


def test_a_decorated_method_is_met_at_each_line_of_its_head() -> None:
    # Python counts a function from its first decorator.
    trace = inside_trace()
    (call,) = trace.calls
    call = replace(call, backward=at(21, "LinearFunction.backward"))
    finder = look(replace(trace, calls=(call,)), INSIDE_TENSORS)
    for number in (21, 22):
        found = finder.positions_of(AtLine(path=FILE, line=number))
        assert found.places == (TracePosition(step=5, stage="backward"),)
    assert finder.positions_of(AtLine(path=FILE, line=20)).places == ()


def test_where_no_lines_were_recorded() -> None:
    finder = look(linear_trace(), LINEAR_TENSORS)
    assert finder.positions_of(AtLine(path=FILE, line=12)).places == (TracePosition(step=1),)
    assert finder.positions_of(AtLine(path=FILE, line=9)).why == "no lines"


def test_prints() -> None:
    finder = look(inside_trace(), INSIDE_TENSORS)
    assert [place.step for place in finder.positions_of(WhenPrinted()).places] == [1, 5]
    silent = look(replace(inside_trace(), console=()), INSIDE_TENSORS)
    assert silent.positions_of(WhenPrinted()).why == "never"


def test_an_exception_is_met_where_it_was_raised() -> None:
    raised = look(raising_trace(), INSIDE_TENSORS).positions_of(WhenRaised())
    assert keys(raised.places) == [(5, 3, 6, 7)]
    # A process that dies raises nothing.
    assert look(dying_trace(), INSIDE_TENSORS).positions_of(WhenRaised()).places == ()
    bare = replace(raising_trace(), insides=())
    assert look(bare, INSIDE_TENSORS).positions_of(WhenRaised()).places == (TracePosition(step=6),)


def changed_trace(change: EngineConversion) -> Trace:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    passed = (step.passed[0], replace(step.passed[1], change=change))
    return replace(trace, steps=(*trace.steps[:4], replace(step, passed=passed), *trace.steps[5:]))


@pytest.mark.parametrize(
    ("change", "shape", "dtype"),
    [
        ("unchanged", False, False),
        ("reduced", True, False),
        ("cast", False, True),
        ("reduced_and_cast", True, True),
        ("dropped", False, False),
    ],
)
def test_what_the_engine_changes(change: EngineConversion, shape: bool, dtype: bool) -> None:
    finder = look(changed_trace(change), LINEAR_TENSORS)
    engine = (TracePosition(step=5, stage="engine"),)
    for target, expected in ((WhenShape(), shape), (WhenDtype(), dtype)):
        found = finder.positions_of(target)
        assert found.places == (engine if expected else ())
        # Lines were not recorded, so variables were not looked at.
        assert found.unexamined.lines


def test_variables_that_change_shape_or_dtype() -> None:
    def here(number: int, name: str, value: int) -> object:
        return line(at(number, "f"), tensor_item(name, value))

    lines = (
        here(2, "a", 1),
        here(3, "a", 2),
        here(4, "b", 1),
        here(5, "a", 9),
        line(at(6, "f"), removed=("a",)),
        here(7, "a", 1),
    )
    inside = Inside(id=1, parts=(part("forward", frames=inside_trace().insides[0].parts[0].frames,
                                      lines=lines),))  # type: ignore[arg-type]  # fmt: skip
    trace = replace(inside_trace(), insides=(inside,))
    pairs = (*INSIDE_TENSORS[:8], tensor(9, np.ones((2, 3), np.int64)))
    finder = look(trace, pairs)
    # Of (2, 2) becomes (2, 3), then int64; what was deleted is not compared with.
    assert keys(finder.positions_of(WhenShape()).places) == [(1, 0, 1, -1)]
    assert keys(finder.positions_of(WhenDtype()).places) == [(1, 0, 3, -1)]


def signs_trace(values: list[float]) -> tuple[Trace, Pairs]:
    trace = linear_trace()
    one = trace.steps[5]
    assert isinstance(one, AccumulateStep)
    steps = tuple(
        replace(one, number=9 + at, total=tensor_item("input.grad", 9 + at))
        for at in range(len(values))
    )
    pairs = tuple(tensor(9 + at, [[1.0, value]]) for at, value in enumerate(values))
    steps = (*trace.steps[:5], *trace.steps[6:], trace.steps[4], *steps)
    numbered = tuple(replace(step, number=at) for at, step in enumerate(steps, 1))
    return replace(trace, steps=numbered), (*LINEAR_TENSORS, *pairs)


@given(st.lists(st.sampled_from([-2.0, -0.0, 0.0, 1.0, float("nan")]), max_size=8))
def test_an_element_of_a_gradient_changes_sign(values: list[float]) -> None:
    finder = look(*signs_trace(values))
    known = [(at, value) for at, value in enumerate(values) if abs(value) > 0]
    turns = [b for (_, x), (b, y) in pairwise(known) if (x < 0) != (y < 0)]
    found = finder.positions_of(WhenSign(name="input", element=(0, 1)))
    assert [place.step - 9 for place in found.places] == turns
    assert finder.positions_of(WhenSign(name="input", element=(0, 0))).places == ()


def test_which_element_there_is_none_of() -> None:
    finder = look(*signs_trace([1.0]))
    assert finder.positions_of(WhenSign(name="x", element=(0, 0))).why == "no name"
    assert finder.positions_of(WhenSign(name="input", element=(0, 7))).why == "no element"
    assert finder.positions_of(WhenSign(name="input", element=(0,))).why == "no element"
    assert finder.positions_of(WhenSign(name="input", element=(0, 1))).why == "never"


def test_an_element_of_a_variable_changes_sign() -> None:
    lines = (
        line(at(14, "f"), tensor_item("output", 3)),
        line(at(15, "f"), tensor_item("output", 9)),
        line(at(16, "f"), tensor_item("output", 6)),
    )
    frames = inside_trace().insides[0].parts[0].frames
    inside = Inside(id=1, parts=(part("forward", frames=frames, lines=lines),))
    trace = replace(inside_trace(), insides=(inside,))
    finder = look(trace, (*INSIDE_TENSORS[:8], tensor(9, np.full((2, 3), -1.0))))
    found = finder.positions_of(WhenSign(name="output", element=(1, 2), gradient=False))
    assert keys(found.places) == [(1, 0, 1, -1), (1, 0, 2, -1)]


def test_a_leaf_that_changed_between_two_calls() -> None:
    trace = linear_trace()
    again = replace(trace.steps[0], number=9, inputs=(tensor_item("input", 9),))  # type: ignore[call-arg]
    trace = replace(trace, steps=(*trace.steps, again))
    record, value = tensor(9, [[0.0, -1.0], [2.0, 3.0]], storage=1)
    finder = look(trace, (*LINEAR_TENSORS, (replace(record, version=1), value)))
    changed = WhenSign(name="input", element=(0, 1), gradient=False)
    assert finder.positions_of(changed).places == (TracePosition(step=9),)
    same = WhenSign(name="input", element=(1, 1), gradient=False)
    assert finder.positions_of(same).places == ()


places = st.builds(
    TracePosition,
    step=st.integers(1, 4),
    stage=st.sampled_from([None, "forward", "backward"]),
    line=st.none() | st.integers(0, 3),
)


@given(st.lists(places, max_size=8), places)
def test_ways_from_hit_to_hit(found: list[TracePosition], here: TracePosition) -> None:
    ordered = sorted_positions(found)
    later = [place for place in ordered if place.key > here.key]
    earlier = [place for place in ordered if place.key < here.key]
    assert next_hit(ordered, here) == (later[0] if later else None)
    assert previous_hit(ordered, here) == (earlier[-1] if earlier else None)
    assert count_hits_until(ordered, here) == len(ordered) - len(later)


def test_the_finest_of_some_places() -> None:
    step, stage = TracePosition(step=1), TracePosition(step=1, stage="forward")
    deep, other = TracePosition(step=1, stage="forward", line=0), TracePosition(step=2)
    assert finest_positions([other, step, deep, stage]) == (deep, other)
    assert finest_positions([step, other, step]) == (step, other)


# A line breakpoint follows its text if the text occurs exactly once nearby.


BEFORE = "def f(x):\n    y = x * 2\n    return y\n"


@pytest.mark.parametrize(
    ("after", "line", "change"),
    [
        (BEFORE, 2, "same"),
        ("def f(x):\n  y = x * 2\n", 2, "same"),
        ("# one more\n\n" + BEFORE, 4, "moved"),
        (BEFORE.replace("* 2", "* 3"), 2, "changed"),
        ("\n" + BEFORE + BEFORE, 2, "changed"),
        ("\n" * (NEARBY + 1) + BEFORE, 2, "changed"),
        ("", 2, "changed"),
    ],
)
def test_a_line_is_followed(after: str, line: int, change: LineMatch) -> None:
    target = AtLine(path="f.py", line=2, text="y = x * 2")
    assert track_line(target, after) == (AtLine(path="f.py", line=line, text=target.text), change)


def test_a_line_whose_text_is_unknown_stays() -> None:
    target = AtLine(path="f.py", line=2)
    assert track_line(target, "other\ntext\n") == (target, "same")

"""Sentences of the phases of a run."""

from typing import Any

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.step_queries import steps_of_pass
from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.memory.saved_memory import pass_for
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import tensor_item
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.model.step import ErrorStep, ForwardStep, NodeStep, PassBeginStep, PassEndStep, Step
from gradviz.model.trace import Trace
from gradviz.text.narration import describe_position
from tests.builders import linear_trace
from tests.inside_builder import dying_trace, raising_trace

TRACE = linear_trace()


def sentences(trace: Trace) -> list[str]:
    """The sentences of the phases of a trace."""
    index = index_trace(trace)
    return [
        describe_position(index, TracePosition(step=phase.first), "pass") for phase in index.phases
    ]


def run(*steps: Step, **more: Any) -> list[str]:
    """The sentences of the phases of these steps, renumbered."""
    numbered = tuple(replace(step, number=number) for number, step in enumerate(steps, 1))
    return sentences(replace(TRACE, steps=numbered, **more))


FORWARD, SUM, BEGIN, NODE, CUSTOM, INPUT, WEIGHT, END = TRACE.steps


def in_pass(number: int, *steps: Step) -> list[Any]:
    return [replace(step, pass_id=number) for step in steps]


def begin(**more: Any) -> PassBeginStep:
    assert isinstance(BEGIN, PassBeginStep)
    return replace(BEGIN, **more)


def forward(**more: Any) -> ForwardStep:
    assert isinstance(SUM, ForwardStep)
    return replace(SUM, **more)


def end(*results: Any, pass_id: int = 1) -> PassEndStep:
    return PassEndStep(number=1, started_ns=0, pass_id=pass_id, results=results)


def test_forward_and_backward() -> None:
    assert run(*TRACE.steps) == [
        "The forward phase runs 2 steps and creates 2 nodes.",
        "The backward pass executes 2 nodes and reaches 2 leaves, input and weight.",
    ]


def test_every_step_of_a_phase_represents_it() -> None:
    index = index_trace(TRACE)
    texts = [describe_position(index, TracePosition(step=number), "pass") for number in range(1, 9)]
    assert texts == [texts[0]] * 2 + [texts[2]] * 6
    assert describe_position(index, TracePosition(step=9), "pass") == ""


def test_one_of_each() -> None:
    assert run(FORWARD, BEGIN, CUSTOM, INPUT, END) == [
        "The forward phase runs 1 step and creates 1 node.",
        "The backward pass executes 1 node and reaches 1 leaf, input.",
    ]


def test_nothing_made_nothing_reached() -> None:
    assert run(forward(node=None, nodes=()), BEGIN, END) == [
        "The forward phase runs 1 step.",
        "The backward pass executes no nodes.",
    ]
    assert run(BEGIN, NODE, END) == ["The backward pass executes 1 node."]
    assert run(BEGIN, INPUT, END) == ["The backward pass reaches 1 leaf, input."]


def test_step_that_made_several_nodes() -> None:
    assert run(FORWARD, forward(nodes=(1, 2, 3)))[0] == (
        "The forward phase runs 2 steps and creates 3 nodes."
    )


def test_many_leaves_are_cut_and_those_without_a_name_only_counted() -> None:
    def reached(*names: str) -> str:
        nodes = [
            replace(TRACE.nodes[2], id=10 + at, variable_name=name) for at, name in enumerate(names)
        ]
        steps = [replace(INPUT, node=node.id) for node in nodes]
        (expected,) = run(BEGIN, *steps, END, nodes=(*TRACE.nodes, *nodes))
        return expected.removeprefix("The backward pass reaches ")

    assert reached("a", "b", "c", "d", "e") == "5 leaves, a, b, c, d and e."
    assert reached("a", "b", "c", "d", "e", "f") == "6 leaves, a, b, c, d and 2 more."
    assert reached("a", "", "c") == "3 leaves, including a and c."
    assert reached("", "") == "2 leaves."


def test_two_passes_and_the_part_between_have_numbers() -> None:
    second = in_pass(2, begin(), NODE, INPUT, end(tensor_item("x", 4)))
    assert run(FORWARD, BEGIN, CUSTOM, END, SUM, *second) == [
        "Forward phase 1 runs 1 step and creates 1 node.",
        "Backward pass 1 executes 1 node.",
        "Forward phase 2 runs 1 step and creates 1 node.",
        "Backward pass 2 executes 1 node and reaches 1 leaf, input. It returns x = 54.",
    ]


def test_pass_that_records_a_graph_of_itself() -> None:
    made = forward(pass_id=1)
    assert run(begin(create_graph=True), made, NODE, END) == [
        "The backward pass executes 1 node. It records its own graph (create_graph=True), so "
        "it can be differentiated again. It creates 1 node."
    ]


def test_pass_inside_a_pass() -> None:
    inner = in_pass(2, begin(parent=1), NODE, end())
    assert run(BEGIN, NODE, *inner, CUSTOM, INPUT, END) == [
        "Backward pass 1 executes 1 node. It waits for backward pass 1.1, which runs inside it.",
        "Backward pass 1.1 executes 1 node. It runs inside backward pass 1.",
        "Backward pass 1 executes 1 node and reaches 1 leaf, input. It resumes here "
        "after backward pass 1.1.",
    ]


def test_passes_are_counted_as_the_option_counts_them() -> None:
    steps = (BEGIN, *in_pass(2, begin(parent=1), end()), END, *in_pass(3, begin(), end()))
    numbered = tuple(replace(step, number=number) for number, step in enumerate(steps, 1))
    scope = RecordingScope(first_pass=1, last_pass=7, kept=((1, 1), (7, 7)))
    index = index_trace(replace(TRACE, steps=numbered, scope=scope))
    assert [each.name for each in index.passes] == ["1", "1.1", "7"]
    assert steps_of_pass(index, 7) == range(5, 7)
    last = pass_for(index, len(steps) + 1)
    assert last is not None
    assert last.name == "7"


def test_pass_that_died_and_one_that_raised() -> None:
    assert sentences(dying_trace())[-1] == "The backward pass executes 2 nodes. It did not finish."
    assert sentences(raising_trace())[-1] == (
        "The backward pass executes 2 nodes. It ends with RuntimeError: mat1 and mat2 shapes cannot"
        " be multiplied (2x2 and 3x2)."
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [("", "It ends with ValueError."), ("no.\nmore", "It ends with ValueError: no.")],
)
def test_forward_that_raised(message: str, expected: str) -> None:
    error = raising_trace().steps[-1]
    assert isinstance(error, ErrorStep)
    error = replace(error, pass_id=None, exception="ValueError", message=message)
    assert run(forward(finished=False), error) == [
        f"The forward phase runs 2 steps and creates 1 node. {expected}"
    ]


def test_forward_that_died() -> None:
    assert run(forward(finished=False, node=None, nodes=())) == [
        "The forward phase runs 1 step. It did not finish."
    ]


def test_pass_whose_exception_was_caught_did_not_come_to_its_end() -> None:
    assert isinstance(NODE, NodeStep)
    assert run(BEGIN, replace(NODE, finished=False), SUM)[0] == (
        "The backward pass executes 1 node. It did not finish."
    )

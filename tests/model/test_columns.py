"""Column lookups return what the records themselves contain."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.node_times import NEVER
from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.columns import ERROR, FORWARD, NODE, PASS_BEGIN, step_columns, tensor_columns
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassEndStep, Step
from gradviz.model.trace import Trace
from tests.builders import error_step, linear_trace


def twice() -> Trace:
    """The linear scene with a second pass that fails in its last step, and an op of two nodes."""
    trace = linear_trace()
    forward, total, *backward = trace.steps
    assert isinstance(total, ForwardStep)
    place = Location(source=1, path="linear.py", line=7, function="f")
    total = replace(total, nodes=(1, 2), location=place)
    again = [replace(step, pass_id=2) for step in backward[:4]]
    error = error_step(0, "ValueError", "no", pass_id=2, node=4)
    steps = [forward, total, *backward, *again, error]
    numbered = tuple(replace(step, number=at) for at, step in enumerate(steps, 1))
    return replace(trace, steps=numbered)


TRACES = [linear_trace(), twice(), replace(linear_trace(), steps=(), tensors=())]
each_trace = pytest.mark.parametrize("trace", TRACES)


def executions(trace: Trace) -> list[NodeStep | AccumulateStep]:
    return [step for step in trace.steps if isinstance(step, NodeStep | AccumulateStep)]


@each_trace
def test_columns_say_what_the_steps_say(trace: Trace) -> None:
    columns = step_columns(trace.steps)

    def told(name: str) -> list[Any]:
        return [getattr(step, name, None) or 0 for step in trace.steps]

    assert columns.nodes.tolist() == told("node")
    assert columns.calls.tolist() == told("call")
    assert columns.passes.tolist() == told("pass_id")
    kinds = [type(step).__name__ for step in trace.steps]
    for name, kind in (
        ("ForwardStep", FORWARD), ("PassBeginStep", PASS_BEGIN), ("NodeStep", NODE),
        ("ErrorStep", ERROR),
    ):  # fmt: skip
        assert (columns.kinds == kind).tolist() == [each == name for each in kinds]


def test_lines_and_nodes_of_forward_steps() -> None:
    columns = step_columns(twice().steps)
    assert columns.lines.tolist()[:4] == [12, 7, 0, 0]
    assert columns.several == {2: (1, 2)}


@each_trace
def test_tensors_in_columns(trace: Trace) -> None:
    columns = tensor_columns(trace.tensors)
    assert columns.ids.tolist() == [each.id for each in trace.tensors]
    assert columns.storages.tolist() == [each.storage for each in trace.tensors]


@each_trace
def test_index_resolves_what_steps_refer_to(trace: Trace) -> None:
    index = index_trace(trace)
    made: dict[int, int] = {}
    for step in trace.steps:
        if isinstance(step, ForwardStep):
            for node in (step.node, *step.nodes):
                made.setdefault(node or 0, step.number)
    visits: dict[int, list[int]] = defaultdict(list)
    flows: dict[int, list[tuple[int, Any]]] = defaultdict(list)
    for step in executions(trace):
        visits[step.node].append(step.number)
        for passed in step.passed if isinstance(step, NodeStep) else ():
            if passed.edge is not None:
                flows[passed.edge].append((step.number, passed.item))
    assert index.made_at == made
    assert index.visits == {node: tuple(numbers) for node, numbers in visits.items()}
    found = {edge: [(flow.step, flow.item) for flow in index.flows[edge]] for edge in index.flows}
    assert found == flows
    assert len(index.flows) == len(flows)


def test_passes_are_spans_of_steps() -> None:
    spans = [(span.pass_id, span.first, span.last) for span in index_trace(twice()).passes]
    assert spans == [(1, 3, 8), (2, 9, 13)]


@each_trace
def test_times_of_many_nodes_are_those_of_each(trace: Trace) -> None:
    index = index_trace(trace)
    nodes = [node.id for node in trace.nodes][::-1]
    # The leaves 3 and 4 were not seen being made: they were there when node 1 was.
    fallback = {3: index.made_at.get(1, 0), 4: index.made_at.get(1, 0)}
    assert index.times.made(nodes).tolist() == [
        index.made_at.get(node, fallback.get(node, 0)) for node in nodes
    ]
    for span in index.passes:
        within = [
            [each for each in index.visits.get(node, ()) if span.first <= each <= span.last]
            for node in nodes
        ]
        expected = [numbers[0] if numbers else NEVER for numbers in within]
        assert index.times.executed(nodes, span.first, span.last).tolist() == expected


def test_an_edge_without_a_flow_is_none_of_the_flows() -> None:
    trace = linear_trace()
    steps: tuple[Step, ...] = tuple(
        replace(step, passed=()) if isinstance(step, NodeStep) else step for step in trace.steps
    )
    index = index_trace(replace(trace, steps=steps))
    assert dict(index.flows) == {}
    assert index.flows.get(1) is None
    assert index.flows.get(99) is None
    assert isinstance(trace.steps[-1], PassEndStep)

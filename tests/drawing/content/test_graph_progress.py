"""Vectorized progress equals the rules applied to one box and edge at a time."""

from __future__ import annotations

import pytest
from msgspec import structs

from gradviz.analysis.index.step_queries import (
    NodeStatus,
    flow_at,
    node_status,
    pass_at,
    step_at,
)
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex, index_trace
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.content.graph_progress import (
    DONE,
    NOW,
    STATUSES,
    UNTOUCHED,
    GraphProgress,
    GroupProgress,
)
from gradviz.drawing.content.graph_state import graph_state
from gradviz.model.step import NodeStep, PassBeginStep, Root
from gradviz.model.trace import Trace
from tests.builders import linear_trace
from tests.drawing.graphs import drawn, layered, recurrent, with_backward
from tests.second_order_builder import cube_trace
from tests.training_traces import training_trace

TRACES = [linear_trace(), cube_trace()]


def drawing(trace: Trace) -> tuple[TraceIndex, DrawnGraph]:
    index = index_trace(trace)
    graph = drawn(index)
    return index, graph


def box_status(index: TraceIndex, span: PassSpan | None, node: DrawnNode, number: int) -> str:
    if node.kind == "saved" and is_freed(index, node.nodes[0], number):
        return "freed"
    if node.kind == "output" and span is not None:
        return root_status(index, span, node, number)
    if span is not None and node.kind in ("saved", "cut", "dead_end"):
        return "done"  # These exist before the pass begins.
    each = {node_status(index, one, number) for one in node.nodes}
    if "now" in each and span is None and node.kind in ("saved", "output", "cut", "dead_end"):
        return "made"
    if "now" in each:
        return "done" if node.kind in ("saved", "output", "cut", "dead_end") else "now"
    each.discard("untouched")
    if not each:
        return "untouched"
    if span is None:
        return "to come" if "to come" in each else "made"
    return "to come" if "to come" in each else "done"


def is_freed(index: TraceIndex, node: int, number: int) -> bool:
    before = index.trace.steps[: number - 1]
    keeping = {
        each.pass_id for each in before if isinstance(each, PassBeginStep) and each.keep_graph
    }
    return any(
        isinstance(each, NodeStep) and each.node == node and each.pass_id not in keeping
        for each in before
    )


def root_status(index: TraceIndex, span: PassSpan, node: DrawnNode, number: int) -> NodeStatus:
    if root_of(span, node) is None:
        return "untouched"
    return "now" if isinstance(step_at(index, number), PassBeginStep) else "done"


def root_of(span: PassSpan | None, output: DrawnNode) -> Root | None:
    for root in () if span is None else span.roots:
        if (root.node, root.output_nr) == (output.nodes[0], output.output_nr):
            return root
    return None


def edge_status(
    index: TraceIndex,
    span: PassSpan | None,
    edge: DrawnEdge,
    boxes: dict[str, DrawnNode],
    number: int,
) -> str:
    source = boxes[edge.source]
    if edge.kind in ("saved", "made", "cut", "dead_end"):
        return "to come"
    if span is None:
        # A gradient is to come if a later pass sends one.
        passes = [each for each in index.passes if each.first > number]
        ends = [edge_status(index, each, edge, boxes, each.last) for each in passes]
        return "untouched" if set(ends) <= {"untouched"} else "to come"
    if edge.kind == "root":
        return root_status(index, span, source, number)
    if edge.kind == "leaf":
        return box_status(index, span, source, number)
    flows = [flow_at(index, each, number) for each in edge.edges]
    if any(flow is not None and flow.step == number for flow in flows):
        return "now"
    if any(flow is not None for flow in flows):
        return "done"
    later = (flow.step for each in edge.edges for flow in index.flows.get(each, ()))
    return "to come" if any(number < step <= span.last for step in later) else "untouched"


@pytest.mark.parametrize("trace", TRACES)
def test_states_follow_the_rules(trace: Trace) -> None:
    index, graph = drawing(trace)
    boxes = {node.id: node for node in graph.nodes}
    for number in range(1, len(trace.steps) + 1):
        span, found = pass_at(index, number), graph_state(index, graph, number)
        edges = [STATUSES[each] for each in found.edges]
        assert edges == [edge_status(index, span, edge, boxes, number) for edge in graph.edges]
        linked = {
            edge.target: status
            for edge, status in zip(graph.edges, edges, strict=True)
            if boxes[edge.target].kind == "link"
        }
        assert [STATUSES[each] for each in found.boxes] == [
            linked.get(node.id) or box_status(index, span, node, number) for node in graph.nodes
        ]


def test_current_gradients_are_question_marks_in_quiz_mode() -> None:
    index, graph = drawing(linear_trace())
    progress = GraphProgress(index, graph.nodes, graph.edges)
    curves = progress.curves(5)
    told, asked = progress.labels(5, curves), progress.labels(5, curves, answer_hidden=True)
    assert told.keys() == asked.keys()
    now = {at for at in told if curves[at] == NOW}
    assert {told[at] for at in now} == {"grad_input 2×2", "grad_weight 2×3"}
    assert {asked[at] for at in now} == {"grad_input ?", "grad_weight ?"}
    assert all(asked[at] == told[at] for at in told.keys() - now)
    drawn_now = progress.gradients(5, curves)
    assert now <= drawn_now.keys()
    assert progress.gradients(5, curves, answer_hidden=True).keys() == drawn_now.keys() - now


def test_only_a_pass_executes_nodes() -> None:
    index, graph = drawing(cube_trace())
    for number in range(1, len(index.trace.steps) + 1):
        if pass_at(index, number) is None:
            assert DONE not in graph_state(index, graph, number).boxes


def test_nodes_of_later_derivatives_are_to_come_until_a_pass_makes_them() -> None:
    index, _ = drawing(cube_trace())
    later = [node for node in index.trace.nodes if node.made_in is not None]
    assert later
    for node in later:
        assert node.made_in is not None
        for number in range(1, node.made_in):
            if pass_at(index, number) is None:
                assert node_status(index, node.id, number) == "to come"


def test_an_update_shows_the_gradients_since_the_last_one_and_none_to_come() -> None:
    trace, _ = training_trace([3.0, 2.0], [[1.0, 2.0], [0.5, 1.0]])
    index, graph = drawing(trace)
    last = len(index.trace.steps)
    assert pass_at(index, last) is None
    state = graph_state(index, graph, last)
    pairs = zip(graph.edges, state.edges, strict=True)
    flowing = {each for edge, each in pairs if edge.kind in ("gradient", "root", "leaf")}
    # Those of the first pass are not of this update.
    assert flowing == {UNTOUCHED, DONE}
    assert DONE in state.boxes


@pytest.mark.parametrize("index", [with_backward(layered(3)), with_backward(recurrent(6))])
def test_it_counts_the_nodes_that_are_created_or_done(index: TraceIndex) -> None:
    nodes = list(index.node)[3:12]
    group_progress = GroupProgress(index, nodes)
    for number in range(1, len(index.trace.steps) + 1):
        # The step that creates a node has created it, but its execution is not over.
        counted = ("made", "done", "now") if pass_at(index, number) is None else ("made", "done")
        done = sum(node_status(index, node, number) in counted for node in nodes)
        assert group_progress.at(number) == (done, len(nodes))


def test_a_pass_that_does_not_get_there_has_nothing_to_count() -> None:
    trace = with_backward(layered(3)).trace
    begun = next(at for at, step in enumerate(trace.steps) if isinstance(step, PassBeginStep))
    index = index_trace(structs.replace(trace, steps=trace.steps[: begun + 2]))
    group_progress = GroupProgress(index, [1, 2, 3])
    assert group_progress.text(begun) == "3 of 3 created"
    assert group_progress.text(begun + 2) == ""


def test_its_text_has_commas() -> None:
    index = with_backward(recurrent(300))
    group_progress = GroupProgress(index, index.node)
    assert group_progress.text(len(index.trace.steps)) == "1,503 of 1,503 done"

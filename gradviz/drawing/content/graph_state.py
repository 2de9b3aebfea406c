"""Progress of a drawing at one step: status of each box and edge, and current labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradviz.analysis.index.node_times import NEVER
from gradviz.analysis.index.step_queries import (
    NodeStatus,
    flow_at,
    node_at_step,
    node_status,
    pass_at,
    step_at,
)
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.catalogue.messages import format_count, say
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.gradient_labels import gradient_elements, gradient_label, root_label
from gradviz.drawing.content.outputs import arriving_gradient_text
from gradviz.model.columns import IntColumn
from gradviz.model.item import Item
from gradviz.model.step import PassBeginStep, Root


class GroupProgress:
    """Node counter for one group, fast at every step."""

    def __init__(self, index: TraceIndex, nodes: Iterable[int]) -> None:
        self._index = index
        self._nodes = frozenset(nodes)
        self._times: dict[int | None, IntColumn] = {}

    def at(self, number: int) -> tuple[int, int]:
        """Number of nodes done at a step, and total number of nodes to do.

        In a forward phase it counts nodes made; in a backward pass, nodes executed out of those
        that the pass executes.
        """
        span = pass_at(self._index, number)
        key = None if span is None else span.pass_id
        if key not in self._times:
            self._times[key] = self._times_in(span)
        times = self._times[key]
        done = int(np.searchsorted(times, number, side="right"))
        # The current node is not done yet.
        is_now = (
            node_at_step(self._index, number) in self._nodes and number in times[done - 1 : done]
        )
        return done - is_now, len(times)

    def text(self, number: int) -> str:
        """Text like ``5 of 72 done``; empty if a pass does not reach the group."""
        done, count = self.at(number)
        return (
            say("drawing.tally", done=format_count(done), count=format_count(count))
            if count
            else ""
        )

    def _times_in(self, span: PassSpan | None) -> IntColumn:
        times, nodes = self._index.times, list(self._nodes)
        if span is None:
            return np.sort(times.made(nodes))
        executed = times.executed(nodes, span.first, span.last)
        return np.sort(executed[executed != NEVER])


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphState:
    """A drawing at one step.

    Attributes:
        nodes: Status by box id.
        edges: Status by edge id; ``now`` if a gradient flows in exactly this step.
        phase: Phase of the step.
        labels: Label by edge id, for edges along which a gradient has flowed.
        gradients: Small gradients among these, whose elements are drawn, by edge id.
        group_progresses: Progress text of each folded group by box id.
    """

    nodes: dict[str, NodeStatus]
    edges: dict[str, NodeStatus]
    phase: Literal["forward", "backward"]
    labels: dict[str, str]
    gradients: dict[str, ElementGrid]
    group_progresses: dict[str, str]


def graph_state(index: TraceIndex, graph: DrawnGraph, number: int) -> GraphState:
    """Compute a drawing's state at a step, in time linear in the records drawn."""
    span = pass_at(index, number)
    boxes = {node.id: node for node in graph.nodes}
    edges = {edge.id: _edge_status(index, span, edge, boxes, number) for edge in graph.edges}
    nodes = {node.id: _box_status(index, span, node, number) for node in graph.nodes}
    for edge in graph.edges:
        if boxes[edge.target].kind == "link":
            nodes[edge.target] = edges[edge.id]
    labels: dict[str, str] = {}
    gradients: dict[str, ElementGrid] = {}
    for edge in graph.edges:
        if edge.kind == "dead_end" and edge.labels:
            text = arriving_gradient_text(index, boxes[edge.source], number)
            labels |= {edge.id: text} if text else {}
            continue
        if not edge.labels or edges[edge.id] not in ("done", "now"):
            continue
        gradient = _gradient(index, span, edge, boxes, number)
        if gradient is None:
            continue
        labels[edge.id] = _label(index, edge, gradient)
        tiny = gradient_elements(index, gradient)
        if tiny is not None and len(edge.edges) <= 1:
            gradients[edge.id] = tiny
    phase: Literal["forward", "backward"] = "forward" if span is None else "backward"
    group_progresses = {
        box.id: GroupProgress(index, box.nodes).text(number)
        for box in graph.nodes
        if box.group_progress
    }
    return GraphState(
        nodes=nodes,
        edges=edges,
        phase=phase,
        labels=labels,
        gradients=gradients,
        group_progresses=group_progresses,
    )


def _box_status(
    index: TraceIndex, span: PassSpan | None, node: DrawnNode, number: int
) -> NodeStatus:
    if node.kind == "output" and span is not None:
        return _root_status(index, span, node, number)
    each = {node_status(index, one, number) for one in node.nodes}
    if "now" in each:
        return "done" if node.kind in ("saved", "output", "cut", "dead_end") else "now"
    each.discard("untouched")
    if not each:
        return "untouched"
    return "to come" if "to come" in each else "done"


def _root_status(index: TraceIndex, span: PassSpan, node: DrawnNode, number: int) -> NodeStatus:
    if _root_of(span, node) is None:
        return "untouched"
    return "now" if isinstance(step_at(index, number), PassBeginStep) else "done"


def _root_of(span: PassSpan | None, output: DrawnNode) -> Root | None:
    for root in () if span is None else span.roots:
        if (root.node, root.output_nr) == (output.nodes[0], output.output_nr):
            return root
    return None


def _edge_status(
    index: TraceIndex,
    span: PassSpan | None,
    edge: DrawnEdge,
    boxes: dict[str, DrawnNode],
    number: int,
) -> NodeStatus:
    source = boxes[edge.source]
    if edge.kind == "root":
        return "to come" if span is None else _root_status(index, span, source, number)
    if span is None or edge.kind in ("saved", "made", "cut", "dead_end"):
        return "to come"
    if edge.kind == "leaf":
        return _box_status(index, span, source, number)
    flows = [flow_at(index, each, number) for each in edge.edges]
    if any(flow is not None and flow.step == number for flow in flows):
        return "now"
    if any(flow is not None for flow in flows):
        return "done"
    later = (flow.step for each in edge.edges for flow in index.flows.get(each, ()))
    return "to come" if any(number < step <= span.last for step in later) else "untouched"


def _gradient(
    index: TraceIndex,
    span: PassSpan | None,
    edge: DrawnEdge,
    boxes: dict[str, DrawnNode],
    number: int,
) -> Item | None:
    if edge.kind == "root":
        root = _root_of(span, boxes[edge.source])
        return None if root is None else root.gradient
    flows = (flow_at(index, each, number) for each in edge.edges)
    return next((flow.item for flow in flows if flow is not None), None)


def _label(index: TraceIndex, edge: DrawnEdge, gradient: Item) -> str:
    if len(edge.edges) > 1:
        return edge.labels[0]
    if edge.kind == "root":
        return root_label(index, gradient)
    return gradient_label(index, index.edge[edge.edges[0]], gradient)

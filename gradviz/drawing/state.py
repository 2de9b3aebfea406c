"""Progress of a drawing at one step: status of each box and edge, and current labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.drawing.dead_ends import arrived_text
from gradviz.drawing.drawn import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.labels import gradient_elements, gradient_label, root_label
from gradviz.drawing.tally import Tally
from gradviz.drawing.tiny import Tiny
from gradviz.model.index import Index, PassSpan
from gradviz.model.item import Item
from gradviz.model.query import Status, flow_at, node_status, pass_at, step_at
from gradviz.model.step import PassBeginStep, Root


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphState:
    """A drawing at one step.

    Attributes:
        nodes: Status by box id.
        edges: Status by edge id; ``now`` if a gradient flows in exactly this step.
        phase: Phase of the step.
        labels: Label by edge id, for edges along which a gradient has flowed.
        gradients: Small gradients among these, whose elements are drawn, by edge id.
        tallies: Progress text of each folded group by box id.
    """

    nodes: dict[str, Status]
    edges: dict[str, Status]
    phase: Literal["forward", "backward"]
    labels: dict[str, str]
    gradients: dict[str, Tiny]
    tallies: dict[str, str]


def state_at(index: Index, graph: DrawnGraph, number: int) -> GraphState:
    """Compute a drawing's state at a step, in time linear in the records drawn."""
    span = pass_at(index, number)
    boxes = {node.id: node for node in graph.nodes}
    edges = {edge.id: _edge_status(index, span, edge, boxes, number) for edge in graph.edges}
    nodes = {node.id: _box_status(index, span, node, number) for node in graph.nodes}
    for edge in graph.edges:
        if boxes[edge.target].kind == "link":
            nodes[edge.target] = edges[edge.id]
    labels: dict[str, str] = {}
    gradients: dict[str, Tiny] = {}
    for edge in graph.edges:
        if edge.kind == "dead_end" and edge.labels:
            text = arrived_text(index, boxes[edge.source], number)
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
    tallies = {box.id: Tally(index, box.nodes).text(number) for box in graph.nodes if box.tally}
    return GraphState(
        nodes=nodes,
        edges=edges,
        phase=phase,
        labels=labels,
        gradients=gradients,
        tallies=tallies,
    )


def _box_status(index: Index, span: PassSpan | None, node: DrawnNode, number: int) -> Status:
    if node.kind == "output" and span is not None:
        return _root_status(index, span, node, number)
    each = {node_status(index, one, number) for one in node.nodes}
    if "now" in each:
        return "done" if node.kind in ("saved", "output", "cut", "dead_end") else "now"
    each.discard("untouched")
    if not each:
        return "untouched"
    return "to come" if "to come" in each else "done"


def _root_status(index: Index, span: PassSpan, node: DrawnNode, number: int) -> Status:
    if _root_of(span, node) is None:
        return "untouched"
    return "now" if isinstance(step_at(index, number), PassBeginStep) else "done"


def _root_of(span: PassSpan | None, output: DrawnNode) -> Root | None:
    for root in () if span is None else span.roots:
        if (root.node, root.output_nr) == (output.nodes[0], output.output_nr):
            return root
    return None


def _edge_status(
    index: Index, span: PassSpan | None, edge: DrawnEdge, boxes: dict[str, DrawnNode], number: int
) -> Status:
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
    index: Index, span: PassSpan | None, edge: DrawnEdge, boxes: dict[str, DrawnNode], number: int
) -> Item | None:
    if edge.kind == "root":
        root = _root_of(span, boxes[edge.source])
        return None if root is None else root.gradient
    flows = (flow_at(index, each, number) for each in edge.edges)
    return next((flow.item for flow in flows if flow is not None), None)


def _label(index: Index, edge: DrawnEdge, gradient: Item) -> str:
    if len(edge.edges) > 1:
        return edge.labels[0]
    if edge.kind == "root":
        return root_label(index, gradient)
    return gradient_label(index, index.edge[edge.edges[0]], gradient)

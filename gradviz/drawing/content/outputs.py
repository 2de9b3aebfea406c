"""Outputs that receive no gradient: those that cannot have one and those that are unused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter

from gradviz.analysis.index.node_steps import execution_step
from gradviz.analysis.index.step_queries import pass_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.drawing.content.cards import output_card
from gradviz.drawing.content.drawn_graph import FULL, DrawingDetail, DrawnEdge, DrawnNode
from gradviz.drawing.content.element_grid import ElementGrid, element_grid
from gradviz.drawing.content.gradient_labels import gradient_elements
from gradviz.drawing.content.plain_text import item_text, label_text, tensor_of, tensor_text
from gradviz.model.columns import step_columns
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep, NodeStep
from gradviz.model.step_values import named_outputs
from gradviz.model.tensor import TensorRecord


@dataclass(slots=True)
class GraphOutput:
    """A tensor that is differentiated, or could be.

    Attributes:
        node: The node that made it.
        output_nr: Which output of that node's forward it is.
        item: The tensor with its best known name.
        labels: The gradients with which passes start there.
        gradients: Those of the gradients whose elements are drawn.
    """

    node: int
    output_nr: int
    item: Item
    labels: list[str] = field(default_factory=list)
    gradients: list[ElementGrid] = field(default_factory=list)


def graph_outputs(index: TraceIndex) -> list[GraphOutput]:
    """Each output once, roots of backward passes first."""
    found: dict[tuple[int, int], GraphOutput] = {}
    for span in index.passes:
        for root in span.roots:
            key = (root.node, root.output_nr)
            output = found.setdefault(
                key, GraphOutput(node=root.node, output_nr=root.output_nr, item=root.value)
            )
            label = item_text(index, root.gradient)
            if label not in output.labels:
                output.labels.append(label)
            tiny = gradient_elements(index, root.gradient)
            if tiny is not None and tiny not in output.gradients:
                output.gradients.append(tiny)
    used = {node for node, _ in found}
    for node, number in sorted(index.made_at.items(), key=itemgetter(1)):
        # A node that nothing uses is an output, even if no backward pass started from it.
        if node not in used and not index.arriving.get(node):
            _add_end(index, node, number, found)
    return list(found.values())


def _add_end(
    index: TraceIndex, node: int, number: int, found: dict[tuple[int, int], GraphOutput]
) -> None:
    step = index.trace.steps[number - 1]
    if not isinstance(step, ForwardStep) or step.pass_id is not None or step.node != node:
        return
    for position, item in enumerate(named_outputs(step)):
        tensor = tensor_of(index, item.tensor)
        if tensor is not None and tensor.requires_grad:
            found[node, position] = GraphOutput(node=node, output_nr=position, item=item)


MOST_DEAD_ENDS = 24
"""Maximum number of dead-end cards; more of them, as in a loop, add no information."""

_DIFFERENTIABLE = ("float", "bfloat", "complex")


def dead_ends(index: TraceIndex, detail: DrawingDetail = FULL) -> list[DrawnNode]:
    """Build a card for each output without gradient of a step that made one node."""
    found: list[DrawnNode] = []
    for number in step_columns(index.trace.steps).branching:
        step = index.trace.steps[number - 1]
        if not isinstance(step, ForwardStep) or step.node is None:
            continue
        if index.made_at.get(step.node) == number:
            found += _of_step(index, step, step.node, detail)
        if len(found) >= MOST_DEAD_ENDS:
            break
    return found[:MOST_DEAD_ENDS]


def unused_outputs(index: TraceIndex, detail: DrawingDetail = FULL) -> list[DrawnNode]:
    """Build a card for each unused output of a custom Function that could have a gradient."""
    roots = {(root.node, root.output_nr) for span in index.passes for root in span.roots}
    found: list[DrawnNode] = []
    for call in index.trace.calls:
        node = call.node
        if node is None or len(call.outputs) < 2 or not index.visits.get(node):
            continue
        used = {edge.target_slot for edge in index.arriving.get(node, ())}
        for position, item in enumerate(call.outputs):
            tensor = tensor_of(index, item.tensor)
            if position in used or (node, position) in roots or tensor is None:
                continue
            if tensor.requires_grad:
                found.append(output_card(index, node, position, item, detail))
        if len(found) >= MOST_DEAD_ENDS:
            break
    return found[:MOST_DEAD_ENDS]


def dead_end_line(index: TraceIndex, card: DrawnNode, target: str) -> DrawnEdge:
    """Build the edge without gradient; its label says what ``backward`` received instead."""
    visits = index.visits.get(card.nodes[0], ())
    labels = dict.fromkeys(arriving_gradient_text(index, card, visit) for visit in visits)
    return DrawnEdge(
        id=f"w{card.nodes[0]}p{card.output_nr}",
        kind="dead_end",
        source=card.id,
        target=target,
        labels=tuple(label for label in labels if label),
    )


def arriving_gradient_text(index: TraceIndex, card: DrawnNode, number: int) -> str:
    """What ``backward`` received for an output without gradient; empty before it ran.

    For example ``grad_indices None``, or ``grad_indices None → zeros`` where torch filled in zeros.
    """
    node, position = card.nodes[0], card.output_nr
    visit = execution_step(index, node, number)
    if visit is None or visit > number or pass_at(index, number) is None:
        return ""
    step = index.trace.steps[visit - 1]
    if not isinstance(step, NodeStep) or position >= len(step.incoming):
        return ""
    came = step.incoming[position]
    if came.kind != "none":
        return ""
    got = step.received[position] if position < len(step.received) else came
    key = "drawing.arrived" if got.kind == "none" else "drawing.arrived.zeros"
    return say(key, name=label_text(got.name, 24))


def _of_step(
    index: TraceIndex, step: ForwardStep, node: int, detail: DrawingDetail
) -> Iterator[DrawnNode]:
    for position, item in enumerate(named_outputs(step)):
        tensor = tensor_of(index, item.tensor)
        if tensor is None or tensor.requires_grad:
            continue
        name = _kept_as(index, node, position) or item.name
        lines = (tensor_text(tensor), say(_reason(index, step, position, tensor)))
        yield DrawnNode(
            id=f"w{node}p{position}",
            kind="dead_end",
            nodes=(node,),
            tensors=(tensor.id,),
            title=label_text(name) or say("drawing.output"),
            lines=(say("drawing.no_gradient"),) if detail.brief else lines,
            output_nr=position,
            thumbnail=element_grid(index, tensor) if detail.elements else None,
        )


def _kept_as(index: TraceIndex, node: int, position: int) -> str:
    """Name that forward gives to an output it has saved; empty if it has not saved it."""
    slots = index.saved.get(node, ())
    found = (each for each in slots if each.role == "output" and each.role_index == position)
    slot = next(found, None)
    return "" if slot is None else slot.item.name


def _reason(index: TraceIndex, step: ForwardStep, position: int, tensor: TensorRecord) -> str:
    call = None if step.call is None else index.call.get(step.call)
    if call is not None and position in call.non_differentiable:
        return "drawing.no_gradient.declared"
    if not tensor.dtype.startswith(_DIFFERENTIABLE):
        return "drawing.no_gradient.dtype"
    return "drawing.no_gradient"

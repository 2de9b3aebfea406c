"""Titles and lines of each box, built from the trace as plain text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradviz.analysis.history_cuts import HistoryCut, history_cuts, history_ends
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.content.drawn_graph import FULL, DrawingDetail, DrawnNode
from gradviz.drawing.content.element_grid import CARD_CELLS, element_grid, sample_grid
from gradviz.drawing.content.plain_text import (
    MOST_CHARACTERS,
    label_text,
    tensor_of,
    tensor_text,
    value_text,
)
from gradviz.model.graph import Node, SavedSlot
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.phrases import record_shape_text

MOST_NAMES = 3
"""Maximum number of saved tensors that a node's card names."""

MOST_LINES = 6
"""Maximum number of slots that a saved-tensors card lists."""


def node_card(index: TraceIndex, node: Node, detail: DrawingDetail = FULL) -> DrawnNode:
    """Build the card of a `grad_fn` node."""
    lines: tuple[str, ...] = ()
    if node.kind == "custom":
        facts = () if detail.brief else (*_needs(index, node), *_declared(index, node))
        lines = (say("drawing.custom"), *facts)
        saved = index.saved.get(node.id, ())
        if not detail.names:
            lines = ()
        elif saved and not detail.notes:
            names = (label_text(slot.item.name, 16) for slot in saved[:MOST_NAMES])
            lines = (say("drawing.saved_names", names=", ".join(names)),)
    elif node.kind == "error":
        lines = (say("drawing.error_node"),)
    elif not detail.brief:
        lines = _variables(index, node)
    return DrawnNode(
        id=f"n{node.id}",
        kind=node.kind,
        nodes=(node.id,),
        title=node_name(node),
        lines=lines,
        order=index.orders.of_node(node.id),
    )


def _variables(index: TraceIndex, node: Node) -> tuple[str, ...]:
    """What the source assigns the results of the call to that made a node as its last one."""
    step = step_at(index, index.made_at.get(node.id, 0))
    if not isinstance(step, ForwardStep) or step.node != node.id or not any(step.assigned):
        return ()
    if not index.arriving.get(node.id):
        # The card of the output says so.
        return ()
    return (label_text(", ".join(filter(None, step.assigned)), MOST_CHARACTERS),)


def node_name(node: Node, most: int = MOST_CHARACTERS) -> str:
    """Torch's name for a node as shown in Python, without the C++ namespace."""
    return label_text(node.name.removeprefix("torch::autograd::"), most) or "?"


def _needs(index: TraceIndex, node: Node) -> tuple[str, ...]:
    call = None if node.call is None else index.call.get(node.call)
    # A line for more arguments would make the card very wide.
    if call is None or not call.needs_input_grad or len(call.needs_input_grad) > 5:
        return ()
    names = zip(call.arguments, call.needs_input_grad, strict=False)
    marks = [f"{label_text(item.name, 16)} {'✓' if needed else '–'}" for item, needed in names]
    return (say("drawing.needs_grad", arguments=" · ".join(marks)),) if marks else ()


def _declared(index: TraceIndex, node: Node) -> tuple[str, ...]:
    """Lines for what forward declared: tensors changed in place, undefined gradients."""
    call = None if node.call is None else index.call.get(node.call)
    if call is None:
        return ()
    lines: list[str] = []
    if call.dirty:
        names = (label_text(call.arguments[at].name, 16) for at in call.dirty[:5])
        lines.append(say("drawing.dirty", names=", ".join(names)))
    if not call.materialize_grads:
        lines.append(say("drawing.undefined"))
    return tuple(lines)


def leaf_card(
    index: TraceIndex,
    node: Node,
    *,
    link: int | None,
    uses: int,
    alone: bool,
    detail: DrawingDetail = FULL,
) -> DrawnNode:
    """Build the card of the tensor that an ``AccumulateGrad`` adds into.

    Args:
        index: The trace.
        node: The ``AccumulateGrad`` node.
        link: Mark of a leaf that several nodes use.
        uses: Number of nodes that use the leaf.
        alone: Whether the card also represents the node, which then has no box.
        detail: How much the card shows.
    """
    tensor = tensor_of(index, node.variable)
    # The drawing is the same in all steps, so it has no value that holds only in some of them.
    constant = tensor is None or not _changes(index, tensor)
    if detail.title_width is not None:
        lines = []
    elif detail.brief:
        lines = [node_name(node) if alone else say("drawing.kind.leaf")]
    else:
        lines = [tensor_text(tensor)] if tensor is not None else []
        if uses > 1:
            lines.append(say("drawing.uses", count=format_count(uses)))
    return DrawnNode(
        id=f"n{node.id}" if alone else f"l{node.id}",
        kind="leaf",
        nodes=(node.id,),
        tensors=() if tensor is None else (tensor.id,),
        title=_titled(leaf_name(node), tensor, detail, valued=constant),
        lines=tuple(lines),
        link=link,
        order=index.orders.of_node(node.id),
        thumbnail=element_grid(index, tensor) if detail.elements and constant else None,
    )


def leaf_name(node: Node) -> str:
    """Name of the leaf that an ``AccumulateGrad`` node adds into."""
    return label_text(node.variable_name) or say("drawing.leaf")


def link_card(card: DrawnNode, title: str, use: int, link: int) -> DrawnNode:
    """Build the card for a further use of a leaf, or of a box with many users.

    Args:
        card: The card of the first use.
        title: Title of the new card.
        use: Number of this use.
        link: The mark that all uses share.
    """
    return DrawnNode(
        id=f"{card.id}u{use}",
        kind="link",
        nodes=card.nodes[:1],
        title=title,
        link=link,
        order=card.order,
    )


def output_card(
    index: TraceIndex, node: int, output_nr: int, item: Item, detail: DrawingDetail = FULL
) -> DrawnNode:
    """Build the card of a tensor that is differentiated, or could be."""
    tensor = tensor_of(index, item.tensor)
    return DrawnNode(
        id=f"o{node}p{output_nr}" if output_nr else f"o{node}",
        kind="output",
        nodes=(node,),
        tensors=() if tensor is None else (tensor.id,),
        title=_titled(label_text(item.name) or say("drawing.output"), tensor, detail),
        lines=() if tensor is None or detail.brief else (tensor_text(tensor),),
        output_nr=output_nr,
        thumbnail=element_grid(index, tensor) if detail.elements else None,
    )


def saved_card(index: TraceIndex, node: int, detail: DrawingDetail = FULL) -> DrawnNode:
    """Build the card of what a node saved for its backward."""
    slots = index.saved[node]
    lines = [_saved_line(index, slot, detail) for slot in slots[:MOST_LINES]]
    samples = [
        sample_grid(index, tensor_of(index, each.item.tensor)) if detail.elements else None
        for each in slots[:MOST_LINES]
    ]
    if len(slots) > MOST_LINES:
        samples.append(None)
        lines.append(say("drawing.more", count=format_count(len(slots) - MOST_LINES)))
    return DrawnNode(
        id=f"s{node}",
        kind="saved",
        nodes=(node,),
        tensors=tuple(each.item.tensor for each in slots if each.item.tensor is not None),
        title=say("drawing.saved"),
        lines=tuple(lines),
        samples=tuple(samples) if any(samples) else (),
    )


def _saved_line(index: TraceIndex, slot: SavedSlot, detail: DrawingDetail) -> str:
    item, name = slot.item, label_text(slot.item.name, 24)
    if item.kind != "tensor":
        return f"{name} = {'None' if item.kind == 'none' else label_text(item.text, 16)}"
    tensor = tensor_of(index, item.tensor)
    shape = "" if tensor is None else (value_text(tensor) or record_shape_text(tensor))
    roles = {"input": "drawing.is_input", "output": "drawing.is_output"}
    roles |= {"view_of_input": "drawing.is_view", "intermediate": "drawing.is_intermediate"}
    if slot.role not in roles or detail.brief:
        return f"{name} {shape}"
    return f"{name} {shape} · {say(roles[slot.role])}"


def _changes(index: TraceIndex, tensor: TensorRecord) -> bool:
    """Whether a small tensor's memory has other values in another step, as after an update."""
    if tensor.storage is None or not 0 < tensor.count <= CARD_CELLS**2:
        return False
    columns = index.tensors
    others = columns.ids[(columns.storages == tensor.storage) & (columns.ids != tensor.id)]
    bare = index.tensor.bare
    # Of a square matrix, the transpose has the same shape, but the elements in another order.
    alike = (
        each
        for each in others.tolist()
        if (bare(each).shape, bare(each).strides) == (tensor.shape, tensor.strides)
    )
    return any(_differ(index.value(tensor.id), index.value(each)) for each in alike)


def _differ(first: TensorValue | None, second: TensorValue | None) -> bool:
    if first is None or second is None:
        return False
    return not np.array_equal(first.array(), second.array(), equal_nan=True)


def _titled(
    name: str, tensor: TensorRecord | None, detail: DrawingDetail, *, valued: bool = True
) -> str:
    value = "" if tensor is None or not valued else value_text(tensor)
    if value:
        return f"{name} = {value}"
    # A brief card has no line for the shape.
    return f"{name} {record_shape_text(tensor)}" if detail.brief and tensor is not None else name


MOST_CUTS = 24
"""Maximum number of cut cards; a loop that cuts at each turn adds no information."""


def made_title(index: TraceIndex, step: int) -> str:
    """Title of a group of nodes that one step made, like ``made by x``."""
    at = int(index.steps.nodes[step - 1])
    maker = index.node.get(at)
    return say("drawing.made_by", node="?" if maker is None else node_name(maker))


def cuts_with_card(
    index: TraceIndex, detail: DrawingDetail = FULL
) -> list[tuple[HistoryCut, DrawnNode]]:
    """Build the cuts' cards; an error node speaks for itself, so it gets none."""
    found = [each for each in history_cuts(index) if each.kind != "skipped"]
    cards = []
    for number, cut in enumerate((*found, *history_ends(index))[:MOST_CUTS], 1):
        key = "end" if cut.kind == "ended" else "whole" if cut.whole else "part"
        line = "?" if cut.location is None else cut.location.line
        lines = [] if detail.title_width else [say(f"drawing.cut.{key}", line=line)]
        if cut.value and not detail.brief:
            value = label_text(cut.value, 32)
            lines.append(value if key == "end" else say("drawing.cut.value", value=value))
        title = say("drawing.cut", gradient=label_text(cut.gradient, 24))
        if key == "end":
            title = say("drawing.cut.ended")
        card = DrawnNode(
            id=f"x{number}", kind="cut", nodes=(cut.node,), title=title, lines=tuple(lines)
        )
        cards.append((cut, card))
    return cards


def users_of(index: TraceIndex, cut: HistoryCut) -> Iterator[Node]:
    """Nodes made in a cut's step that save a value which forward saved without history."""
    kept = {
        slot.item.tensor
        for slot in index.saved.get(cut.node, ())
        if slot.role in ("intermediate", "view_of_input")
    }
    for node in index.trace.nodes if cut.kind == "saved" else ():
        if node.made_in == cut.step and node.kind == "builtin":
            saved = {slot.item.tensor for slot in index.saved.get(node.id, ())} - {None}
            if saved & kept:
                yield node

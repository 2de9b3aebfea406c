"""Titles and lines of each box, built from the trace as plain text."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.drawing.content.element_grid import element_grid, sample_grid
from gradviz.drawing.content.plain_text import (
    MOST_CHARACTERS,
    printable_text,
    tensor_of,
    tensor_text,
    value_text,
)
from gradviz.model.graph import Node, SavedSlot
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord
from gradviz.text.phrases import record_shape_text

MOST_LINES = 6
"""Maximum number of slots that a saved-tensors card lists."""


def node_card(index: TraceIndex, node: Node) -> DrawnNode:
    """Build the card of a `grad_fn` node."""
    lines: tuple[str, ...] = ()
    if node.kind == "custom":
        lines = (say("drawing.custom"), *_needs(index, node), *_declared(index, node))
    elif node.kind == "error":
        lines = (say("drawing.error_node"),)
    return DrawnNode(
        id=f"n{node.id}",
        kind=node.kind,
        nodes=(node.id,),
        title=node_name(node),
        lines=lines,
        second_order=node.made_by is not None,
    )


def node_name(node: Node, most: int = MOST_CHARACTERS) -> str:
    """Torch's name for a node as shown in Python, without the C++ namespace."""
    return printable_text(node.name.removeprefix("torch::autograd::"), most) or "?"


def _needs(index: TraceIndex, node: Node) -> tuple[str, ...]:
    call = None if node.call is None else index.call.get(node.call)
    # A line for more arguments would make the card very wide.
    if call is None or not call.needs_input_grad or len(call.needs_input_grad) > 5:
        return ()
    names = zip(call.arguments, call.needs_input_grad, strict=False)
    marks = [f"{printable_text(item.name, 16)} {'✓' if needed else '–'}" for item, needed in names]
    return (say("drawing.needs_grad", arguments=" · ".join(marks)),) if marks else ()


def _declared(index: TraceIndex, node: Node) -> tuple[str, ...]:
    """Lines for what forward declared: tensors changed in place, undefined gradients."""
    call = None if node.call is None else index.call.get(node.call)
    if call is None:
        return ()
    lines: list[str] = []
    if call.dirty:
        names = (printable_text(call.arguments[at].name, 16) for at in call.dirty[:5])
        lines.append(say("drawing.dirty", names=", ".join(names)))
    if not call.materialize_grads:
        lines.append(say("drawing.undefined"))
    return tuple(lines)


def leaf_card(
    index: TraceIndex, node: Node, *, link: int | None, uses: int, alone: bool
) -> DrawnNode:
    """Build the card of the tensor that an ``AccumulateGrad`` adds into.

    Args:
        index: The trace.
        node: The ``AccumulateGrad`` node.
        link: Mark of a leaf that several nodes use.
        uses: Number of nodes that use the leaf.
        alone: Whether the card also represents the node, which then has no box.
    """
    tensor = tensor_of(index, node.variable)
    lines = [tensor_text(tensor)] if tensor is not None else []
    tiny = element_grid(index, tensor)
    if uses > 1:
        lines.append(say("drawing.uses", count=format_count(uses)))
    return DrawnNode(
        id=f"n{node.id}" if alone else f"l{node.id}",
        kind="leaf",
        nodes=(node.id,),
        tensors=() if tensor is None else (tensor.id,),
        title=_titled(leaf_name(node), tensor),
        lines=tuple(lines),
        link=link,
        second_order=node.made_by is not None,
        thumbnail=tiny,
    )


def leaf_name(node: Node) -> str:
    """Name of the leaf that an ``AccumulateGrad`` node adds into."""
    return printable_text(node.variable_name) or say("drawing.leaf")


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
        second_order=card.second_order,
    )


def output_card(index: TraceIndex, node: int, output_nr: int, item: Item) -> DrawnNode:
    """Build the card of a tensor that is differentiated, or could be."""
    tensor = tensor_of(index, item.tensor)
    tiny = element_grid(index, tensor)
    return DrawnNode(
        id=f"o{node}p{output_nr}" if output_nr else f"o{node}",
        kind="output",
        nodes=(node,),
        tensors=() if tensor is None else (tensor.id,),
        title=_titled(printable_text(item.name) or say("drawing.output"), tensor),
        lines=() if tensor is None else (tensor_text(tensor),),
        output_nr=output_nr,
        thumbnail=tiny,
    )


def saved_card(index: TraceIndex, node: int) -> DrawnNode:
    """Build the card of what a node saved for its backward."""
    slots = index.saved[node]
    lines = [_saved_line(index, slot) for slot in slots[:MOST_LINES]]
    samples = [
        sample_grid(index, tensor_of(index, each.item.tensor)) for each in slots[:MOST_LINES]
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


def _saved_line(index: TraceIndex, slot: SavedSlot) -> str:
    item, name = slot.item, printable_text(slot.item.name, 24)
    if item.kind != "tensor":
        return f"{name} = {'None' if item.kind == 'none' else printable_text(item.text, 16)}"
    tensor = tensor_of(index, item.tensor)
    shape = "" if tensor is None else (value_text(tensor) or record_shape_text(tensor))
    roles = {"input": "drawing.is_input", "output": "drawing.is_output"}
    roles |= {"view_of_input": "drawing.is_view", "intermediate": "drawing.is_intermediate"}
    if slot.role not in roles:
        return f"{name} {shape}"
    return f"{name} {shape} · {say(roles[slot.role])}"


def _titled(name: str, tensor: TensorRecord | None) -> str:
    value = "" if tensor is None else value_text(tensor)
    return f"{name} = {value}" if value else name

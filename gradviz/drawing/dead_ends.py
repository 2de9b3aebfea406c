"""Outputs without gradient: each is a dead end of the graph, into which no gradient flows."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.drawing.drawn import DrawnEdge, DrawnNode
from gradviz.drawing.text import shown, tensor_of, tensor_text
from gradviz.drawing.tiny import tiny_of
from gradviz.model.index import Index
from gradviz.model.messages import say
from gradviz.model.step import ForwardStep
from gradviz.model.tensor import TensorRecord

MOST_DEAD_ENDS = 24
"""So many have a card; more of them, as in a loop, tell nothing new."""

_DIFFERENTIABLE = ("float", "bfloat", "complex")


def dead_ends(index: Index) -> list[DrawnNode]:
    """A card for each output without gradient of a forward step that made one node."""
    found: list[DrawnNode] = []
    for node, number in index.made_at.items():
        step = index.trace.steps[number - 1]
        if not isinstance(step, ForwardStep) or step.node != node or len(step.outputs) < 2:
            continue
        found += _of_step(index, step, node)
        if len(found) >= MOST_DEAD_ENDS:
            break
    return found[:MOST_DEAD_ENDS]


def dead_end_line(card: DrawnNode, target: str) -> DrawnEdge:
    """The line along which nothing flows."""
    return DrawnEdge(id=f"w{card.id[1:]}", kind="dead_end", source=card.id, target=target)


def _of_step(index: Index, step: ForwardStep, node: int) -> Iterator[DrawnNode]:
    for position, item in enumerate(step.outputs):
        tensor = tensor_of(index, item.tensor)
        if tensor is None or tensor.requires_grad:
            continue
        name = _kept_as(index, node, position) or item.name
        yield DrawnNode(
            id=f"w{node}p{position}",
            kind="dead_end",
            nodes=(node,),
            tensors=(tensor.id,),
            title=shown(name) or say("drawing.output"),
            lines=(tensor_text(tensor), say(_reason(index, step, position, tensor))),
            output_nr=position,
            thumbnail=tiny_of(index, tensor),
        )


def _kept_as(index: Index, node: int, position: int) -> str:
    """What forward calls an output that it has saved; empty for others."""
    slots = index.saved.get(node, ())
    found = (each for each in slots if each.role == "output" and each.role_index == position)
    slot = next(found, None)
    return "" if slot is None else slot.item.name


def _reason(index: Index, step: ForwardStep, position: int, tensor: TensorRecord) -> str:
    call = None if step.call is None else index.call.get(step.call)
    if call is not None and position in call.non_differentiable:
        return "drawing.no_gradient.declared"
    if not tensor.dtype.startswith(_DIFFERENTIABLE):
        return "drawing.no_gradient.dtype"
    return "drawing.no_gradient"

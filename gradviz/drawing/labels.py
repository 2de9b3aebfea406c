"""The label of a gradient on an edge: whose gradient it is, and its shape or value."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.drawing.text import item_text, shown, tensor_of
from gradviz.drawing.tiny import LINE_CELLS, Tiny, tiny_of
from gradviz.model.graph import Edge
from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.messages import say
from gradviz.model.step import NodeStep


def gradient_label(index: Index, edge: Edge, item: Item) -> str:
    """Like ``grad_weight 2×3``, ``grad_output 2×3``, ``1`` or ``grad_bias None``.

    The name is the one in the user's own code: what a custom Function's ``backward`` returns it
    for, or the parameter through which one receives it. Between built-in nodes there is none.
    """
    text = item_text(index, item)
    name = _name(index, edge, item)
    return f"{name} {text}" if name else text


def hidden_label(index: Index, edge: Edge, item: Item) -> str:
    """Like ``grad_weight ?``: whose gradient it is, and nothing of its shape and value."""
    name = _name(index, edge, item)
    return f"{name} ?" if name else "?"


def _name(index: Index, edge: Edge, item: Item) -> str:
    if index.node[edge.source].kind == "custom":
        name = shown(item.name, 24)
        return name if name.startswith("grad") or not name else f"grad_{name}"
    if index.node[edge.target].kind != "custom":
        return ""
    return shown(_parameter(index, edge), 24)


def _parameter(index: Index, edge: Edge) -> str:
    for number in index.visits.get(edge.target, ()):
        step = index.trace.steps[number - 1]
        if isinstance(step, NodeStep):
            items = step.received or step.incoming
            if edge.target_slot < len(items):
                return items[edge.target_slot].name
    return "grad_output"


def edge_labels(index: Index, edge: int) -> tuple[str, ...]:
    """Every label that an edge gets at some step, each once."""
    flows = index.flows.get(edge, ())
    found = (gradient_label(index, index.edge[edge], flow.item) for flow in flows)
    return tuple(dict.fromkeys(found))


def bundle_labels(index: Index, edges: Sequence[int]) -> tuple[str, ...]:
    """The labels of a line that stands for these edges: of several, how many carry a gradient."""
    if len(edges) == 1:
        return edge_labels(index, edges[0])
    count = sum(1 for edge in edges if index.flows.get(edge))
    return (say("drawing.gradients", count=f"{count:,}"),) if count > 1 else ()


def edge_gradients(index: Index, edge: int) -> tuple[Tiny, ...]:
    """The gradients along an edge whose elements are drawn beside its label, each once."""
    found = (gradient_elements(index, flow.item) for flow in index.flows.get(edge, ()))
    return tuple(dict.fromkeys(tiny for tiny in found if tiny is not None))


def gradient_elements(index: Index, item: Item) -> Tiny | None:
    """How the elements of a gradient are drawn; None where there are too many, or one."""
    return tiny_of(index, tensor_of(index, item.tensor), LINE_CELLS)


def root_label(index: Index, gradient: Item) -> str:
    """The gradient with which a pass starts, like ``1``."""
    return item_text(index, gradient)

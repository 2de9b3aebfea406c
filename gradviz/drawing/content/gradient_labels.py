"""Edge labels: which gradient it is, and its shape or value."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.content.element_grid import LINE_CELLS, ElementGrid, element_grid
from gradviz.drawing.content.plain_text import item_text, label_text, tensor_of
from gradviz.model.graph import Edge
from gradviz.model.item import Item
from gradviz.model.step import NodeStep


def gradient_label(index: TraceIndex, edge: Edge, item: Item) -> str:
    """Label like ``grad_weight 2×3``, ``grad_output 2×3``, ``1`` or ``grad_bias None``.

    The name comes from the user's code: the input for which a custom Function's ``backward``
    returns the gradient, or the parameter that receives it. Between built-in nodes it is left out.
    """
    text = item_text(index, item)
    name = _name(index, edge, item)
    return f"{name} {text}" if name else text


def hidden_label(index: TraceIndex, edge: Edge, item: Item) -> str:
    """Label like ``grad_weight ?``: which gradient it is, without shape and value."""
    name = _name(index, edge, item)
    return f"{name} ?" if name else "?"


def _name(index: TraceIndex, edge: Edge, item: Item) -> str:
    if index.node[edge.source].kind == "custom":
        name = label_text(item.name, 24)
        return name if name.startswith("grad") or not name else f"grad_{name}"
    if index.node[edge.target].kind != "custom":
        return ""
    return label_text(_parameter(index, edge), 24)


def _parameter(index: TraceIndex, edge: Edge) -> str:
    for number in index.visits.get(edge.target, ()):
        step = index.trace.steps[number - 1]
        if isinstance(step, NodeStep):
            items = step.received or step.incoming
            if edge.target_slot < len(items):
                return items[edge.target_slot].name
    return "grad_output"


def bundle_labels(index: TraceIndex, edges: Sequence[int]) -> tuple[str, ...]:
    """Each label that one edge has at some step; a bundle counts those with a gradient."""
    if len(edges) == 1:
        edge, flows = index.edge[edges[0]], index.flows.get(edges[0], ())
        return tuple(dict.fromkeys(gradient_label(index, edge, flow.item) for flow in flows))
    count = sum(1 for edge in edges if index.flows.get(edge))
    return (say("drawing.gradients", count=format_count(count)),) if count > 1 else ()


def edge_gradients(index: TraceIndex, edge: int) -> tuple[ElementGrid, ...]:
    """Distinct gradients along an edge whose elements are drawn beside its label."""
    found = (gradient_elements(index, flow.item) for flow in index.flows.get(edge, ()))
    return tuple(dict.fromkeys(tiny for tiny in found if tiny is not None))


def gradient_elements(index: TraceIndex, item: Item) -> ElementGrid | None:
    """How to draw a gradient's elements; None if there are too many, or only one."""
    return element_grid(index, tensor_of(index, item.tensor), LINE_CELLS)

"""The color scales of the tensors that are drawn in a graph."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.color_map import finite_extremes, own_scale_limit
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnNode

_LEAST = 0.15
"""Share of its scale that the largest element of a tensor reaches at least.

The elements of much smaller tensors would otherwise all look like zero.
"""


def color_scales(
    index: TraceIndex, nodes: Iterable[DrawnNode], edges: Iterable[DrawnEdge]
) -> dict[int, float]:
    """End of the color scale of each drawn tensor, by its id.

    The values in the boxes share a scale, and the gradients on the lines share another: they
    often differ by orders of magnitude.

    Args:
        index: The trace.
        nodes: The boxes.
        edges: The lines.
    """
    boxes = [grid for node in nodes for grid in (node.thumbnail, *node.samples)]
    values = {grid.tensor for grid in boxes if grid is not None}
    gradients = {grid.tensor for edge in edges for grid in edge.gradients}
    return _shared(index, values) | _shared(index, gradients)


def _shared(index: TraceIndex, tensors: set[int]) -> dict[int, float]:
    ends: dict[int, tuple[float, float]] = {}
    for tensor in tensors:
        value = index.value(tensor)
        found = None if value is None else finite_extremes(value.array())
        if found is not None:
            ends[tensor] = found
    if not ends:
        return {}
    lows, highs = zip(*ends.values(), strict=True)
    limit = own_scale_limit(min(lows), max(highs))
    return {
        tensor: min(limit, max(abs(low), abs(high)) / _LEAST)
        for tensor, (low, high) in ends.items()
    }

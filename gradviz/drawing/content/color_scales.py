"""The color scales of the tensors that are drawn in a graph."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.color_map import finite_extremes, side_by_side_limits
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnNode


def color_scales(
    index: TraceIndex, nodes: Iterable[DrawnNode], edges: Iterable[DrawnEdge]
) -> dict[int, float]:
    """End of the color scale of each drawn tensor, by its id.

    The values in the boxes share a scale, and the gradients on the lines share another: they
    often differ by orders of magnitude.
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
    return side_by_side_limits(ends)

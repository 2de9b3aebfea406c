"""The color scales of the tensors that are drawn in a graph."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.color_map import finite_extremes, side_by_side_limits
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnNode
from gradviz.model.tensor import is_integral


def color_scales(
    index: TraceIndex, nodes: Iterable[DrawnNode], edges: Iterable[DrawnEdge]
) -> dict[int, float]:
    """End of the color scale of each drawn tensor, by its id.

    The values in the boxes share a scale, the integers among them another, and the gradients on the
    lines a third one: they often differ by orders of magnitude.
    """
    boxes = [grid for node in nodes for grid in (node.thumbnail, *node.samples)]
    values = {grid.tensor for grid in boxes if grid is not None}
    gradients = {grid.tensor for edge in edges for grid in edge.gradients}
    integers = {each for each in values if is_integral(index.tensor.bare(each).dtype)}
    groups = values - integers, integers, gradients
    return {tensor: limit for each in groups for tensor, limit in _shared(index, each).items()}


def _shared(index: TraceIndex, tensors: set[int]) -> dict[int, float]:
    ends: dict[int, tuple[float, float]] = {}
    for tensor in tensors:
        value = index.value(tensor)
        found = None if value is None else finite_extremes(value.array())
        if found is not None:
            ends[tensor] = found
    return side_by_side_limits(ends)

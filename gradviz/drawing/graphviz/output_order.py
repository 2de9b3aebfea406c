"""Equal graphs side by side, such as those of a training's iterations, in the order of the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from gradviz.drawing.content.drawn_graph import DrawnGraph


def outputs_abreast(graph: DrawnGraph) -> Iterator[tuple[str, ...]]:
    """Outputs whose graphs are equally high and can be placed from left to right, by their ids.

    Graphviz minimizes crossings, which may put a later iteration in front of an earlier one.
    """
    following: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        if edge.kind not in ("saved", "made"):
            following[edge.source].append(edge.target)
    heights: dict[str, int] = {}
    try:
        for box in TopologicalSorter(following).static_order():
            heights[box] = max((heights[each] + 1 for each in following[box]), default=0)
    except CycleError:
        # Two closed groups can each need the other.
        return
    found: defaultdict[int, list[str]] = defaultdict(list)
    for node in graph.nodes:
        # Graphviz would take a box out of its frame.
        if node.kind == "output" and not node.frame:
            found[heights[node.id]].append(node.id)
    yield from (tuple(boxes) for boxes in found.values() if len(boxes) > 1)

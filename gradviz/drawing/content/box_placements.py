"""Places where boxes are drawn: once each, or once per use if they are shared."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.groups import Group, Hierarchy
from gradviz.model.graph import Edge

HUB_DEGREE = 24
"""Boxes with more users are drawn once per use like a shared leaf: hubs make dot hang."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphBox:
    """A single box of the drawing: a node, or a folded group.

    Attributes:
        nodes: Node ids in the trace, users before what they use.
        group: The group; None for a node.
        frame: Number of the open group directly around it.
    """

    nodes: tuple[int, ...]
    group: Group | None
    frame: int


@dataclass(frozen=True, slots=True)
class BoxPlacement:
    """One place where a box is drawn.

    Attributes:
        box: Position in `BoxPlacements.boxes`.
        use: 1 for the box itself; 2, 3 ... for further uses, which only link to it.
        frame: Number of the open group in which it is drawn.
    """

    box: int
    use: int
    frame: int


@dataclass(frozen=True, slots=True)
class PlacedEdge:
    """An edge of the trace between two places.

    Attributes:
        edge: Edge id in the trace.
        source: Position of the place whose node makes the gradient.
        target: Position of the place that receives it.
    """

    edge: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class BoxPlacements:
    """All places of a graph, and the edges between them.

    Attributes:
        boxes: Boxes in the order of their first nodes in the trace.
        places: The boxes themselves in the same order, then their further uses.
        lines: Edges ordered by id; those inside a folded group are left out.
        links: Mark of each box that is drawn several times, counted from 1.
        uses: Number of nodes that use each box's contents.
        at: Position of the box of each node.
    """

    boxes: tuple[GraphBox, ...]
    places: tuple[BoxPlacement, ...]
    lines: tuple[PlacedEdge, ...]
    links: dict[int, int]
    uses: dict[int, int]
    at: dict[int, int]


def place_boxes(
    index: TraceIndex,
    hierarchy: Hierarchy,
    opened: frozenset[int],
    *,
    leaf_links: bool = True,
) -> BoxPlacements:
    """Decide where each box is drawn; edges from one user to one box share a place."""
    boxes = _boxes(index, hierarchy, opened)
    at = {node: position for position, box in enumerate(boxes) for node in box.nodes}
    arriving: dict[int, list[Edge]] = defaultdict(list)
    for edge in index.trace.edges:
        # Edges inside a closed group are not drawn, but a node's edge to itself would be.
        if at[edge.source] != at[edge.target] or boxes[at[edge.target]].group is None:
            arriving[at[edge.target]].append(edge)
    places = [BoxPlacement(position, 1, box.frame) for position, box in enumerate(boxes)]
    links: dict[int, int] = {}
    uses: dict[int, int] = {}
    lines: list[PlacedEdge] = []
    for target in range(len(boxes)):
        # A dict instead of a set, so that equal traces give equal drawings.
        users = list(dict.fromkeys(at[edge.source] for edge in arriving[target]))
        uses[target] = len({edge.source for edge in arriving[target]})
        homes = dict.fromkeys(users, target)
        if len(users) > (1 if leaf_links and _is_leaf(index, boxes[target]) else HUB_DEGREE):
            links[target] = len(links) + 1
            # The first user shares the box itself; the others get a card that links to it.
            for use, user in enumerate(users[1:], 2):
                homes[user] = len(places)
                places.append(BoxPlacement(target, use, boxes[user].frame))
        lines += [
            PlacedEdge(edge.id, at[edge.source], homes[at[edge.source]])
            for edge in arriving[target]
        ]
    lines.sort(key=lambda line: line.edge)
    return BoxPlacements(tuple(boxes), tuple(places), tuple(lines), links, uses, at)


def _boxes(index: TraceIndex, hierarchy: Hierarchy, opened: frozenset[int]) -> list[GraphBox]:
    found: list[GraphBox] = []
    place = {node.id: at for at, node in enumerate(index.trace.nodes)}
    for number in sorted(opened):
        group = hierarchy.groups[number]
        found += [GraphBox(nodes=(node,), group=None, frame=number) for node in group.nodes]
        for inner in group.groups:
            if inner not in opened:
                nodes = hierarchy.inside(inner)
                found.append(GraphBox(nodes=nodes, group=hierarchy.groups[inner], frame=number))
    return sorted(found, key=lambda box: min(map(place.__getitem__, box.nodes)))


def _is_leaf(index: TraceIndex, box: GraphBox) -> bool:
    """Whether a box only receives gradients, so that it can be drawn several times."""
    return all(
        index.node[node].kind == "accumulate" and not index.leaving.get(node) for node in box.nodes
    )

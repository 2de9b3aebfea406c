"""Where nodes are drawn: once each, but a shared one once for each use, so that no hub exists."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.graph import Edge
from gradviz.model.index import Index

HUB = 24
"""An inner node with more users than this is drawn like a shared leaf: a hub makes dot hang."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place at which a node is drawn.

    Attributes:
        node: Number in the trace.
        use: 1 for the node itself; 2, 3 ... for further uses, which only link to it.
    """

    node: int
    use: int


@dataclass(frozen=True, slots=True)
class Line:
    """An edge of the trace between two places.

    Attributes:
        edge: Number in the trace.
        source: Position of the place whose node makes the gradient.
        target: Position of the place that receives it.
    """

    edge: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Places:
    """All places of a graph, and the lines between them.

    Attributes:
        places: The nodes themselves first, in order of their numbers.
        lines: In order of the edges' numbers.
        links: Mark of each node that is drawn several times, counted from 1.
        uses: How many users each of these nodes has.
    """

    places: tuple[Place, ...]
    lines: tuple[Line, ...]
    links: dict[int, int]
    uses: dict[int, int]


def places_of(index: Index) -> Places:
    """Decides where each node is drawn. Edges from one user to one node share a place."""
    places = [Place(node=node.id, use=1) for node in index.trace.nodes]
    home = {place.node: position for position, place in enumerate(places)}
    links: dict[int, int] = {}
    uses: dict[int, int] = {}
    lines: list[Line] = []
    for node in index.trace.nodes:
        arriving = sorted(index.arriving.get(node.id, ()), key=lambda edge: edge.id)
        users = list(dict.fromkeys(edge.source for edge in arriving))
        shared = len(users) > (1 if node.kind == "accumulate" else HUB)
        targets = dict.fromkeys(users, home[node.id])
        if shared:
            links[node.id] = len(links) + 1
            uses[node.id] = len(users)
            for use, user in enumerate(users[1:], 2):
                targets[user] = len(places)
                places.append(Place(node=node.id, use=use))
        lines += _lines(arriving, home, targets)
    lines.sort(key=lambda line: line.edge)
    return Places(places=tuple(places), lines=tuple(lines), links=links, uses=uses)


def _lines(arriving: list[Edge], home: dict[int, int], targets: dict[int, int]) -> list[Line]:
    return [
        Line(edge=edge.id, source=home[edge.source], target=targets[edge.source])
        for edge in arriving
    ]

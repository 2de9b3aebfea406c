"""A long chain wrapped into columns: up the first column, down the second, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph

_LEAST_HEIGHT = 4
"""Minimum height of a column in edges; lower columns would be harder to follow than a chain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappedColumns:
    """What makes Graphviz wrap a drawing.

    Attributes:
        downward: Ids of the edges that lead downwards.
        abreast: Ids of one box for each column, at equal height, in the order of the columns.
    """

    downward: frozenset[str] = frozenset()
    abreast: tuple[str, ...] = ()


def wrapped_columns(graph: DrawnGraph, columns: int) -> WrappedColumns:
    """Wrap a drawing into columns; a short one, or one with cycles, stays as it is.

    Args:
        graph: The drawing.
        columns: Number of columns.
    """
    edges = [edge for edge in graph.edges if edge.kind not in ("saved", "made")]
    arriving: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in edges:
        arriving[edge.target].append(edge.source)
    try:
        # Two closed groups can each need the other.
        ranks = _ranks(arriving, edges) if columns > 1 else {}
    except CycleError:
        return WrappedColumns()
    height = -(-max(ranks.values(), default=0) // columns)
    if height < _LEAST_HEIGHT:
        return WrappedColumns()

    def level(box: str) -> tuple[int, int]:
        climbed = ranks[box] % (2 * height)
        # With the rank, so that boxes beside a turn have an order too, and no cycle appears.
        return min(climbed, 2 * height - climbed), ranks[box]

    chain = _longest_chain(arriving, ranks)
    middle = height // 2
    turns = (middle if column % 2 == 0 else height - middle for column in range(columns))
    places = (column * height + turn for column, turn in enumerate(turns))
    abreast = tuple(chain[place] for place in places if place < len(chain))
    framed = {node.id for node in graph.nodes if node.frame}
    return WrappedColumns(
        downward=frozenset(edge.id for edge in edges if level(edge.source) > level(edge.target)),
        # Graphviz would take the boxes out of their frames.
        abreast=() if framed.intersection(abreast) else abreast,
    )


def _ranks(arriving: dict[str, list[str]], edges: list[DrawnEdge]) -> dict[str, int]:
    """Length of the longest way to each box; what nothing leads to is just before its target."""
    ranks: dict[str, int] = {}
    for box in TopologicalSorter(arriving).static_order():
        ranks[box] = max((ranks[each] + 1 for each in arriving[box]), default=0)
    for edge in edges:
        if not arriving[edge.source]:
            ranks[edge.source] = max(ranks[edge.source], ranks[edge.target] - 1)
    return ranks


def _longest_chain(arriving: dict[str, list[str]], ranks: dict[str, int]) -> list[str]:
    chain = [max(ranks, key=ranks.__getitem__)]
    while arriving[chain[-1]]:
        chain.append(max(arriving[chain[-1]], key=ranks.__getitem__))
    return chain[::-1]

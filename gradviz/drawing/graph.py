"""A trace's graph as a picture of bounded size: what is folded and what is drawn of it."""

from __future__ import annotations

from gradviz.drawing.cut import cut_of
from gradviz.drawing.draw import Drawing
from gradviz.drawing.drawn import DrawnGraph, TooLarge
from gradviz.drawing.folds import Folds
from gradviz.drawing.group import Hierarchy
from gradviz.drawing.hierarchy import hierarchy_of
from gradviz.drawing.outputs import outputs_of
from gradviz.drawing.places import places_of
from gradviz.drawing.troubles import QUICK, Troubles, troubles_of
from gradviz.model.index import Index
from gradviz.model.messages import say

LIMIT = 1500
"""Graphviz lays out so many boxes in about a second; pictures of more are no use to anybody."""

MOST_TROUBLES, MOST_CUSTOM = 3, 24
"""So many nodes have the groups around them opened, if there is room."""

AS_FOUND = Folds()


def drawn_graph(
    index: Index,
    *,
    hierarchy: Hierarchy | None = None,
    folds: Folds = AS_FOUND,
    troubles: Troubles | None = None,
    limit: int = LIMIT,
    builtin_saved: bool = False,
) -> DrawnGraph | TooLarge:
    """Decides what is drawn of a trace's graph.

    Args:
        index: The trace.
        hierarchy: Its groups, where they are known already.
        folds: What is opened and closed by hand.
        troubles: What is known to have gone wrong; looked for quickly where left out.
        limit: Greatest number of boxes.
        builtin_saved: Whether built-in nodes show what they saved too.
    """
    hierarchy = hierarchy or hierarchy_of(index)
    troubles = troubles_of(index, QUICK) if troubles is None else troubles
    cut = cut_of(index, hierarchy, folds, _to_be_seen(index, troubles), limit)
    places = places_of(index, hierarchy, cut.opened)
    drawing = Drawing(index, hierarchy, cut, places, troubles)
    graph = drawing.graph(outputs_of(index), limit, builtin_saved=builtin_saved)
    if len(graph.nodes) > limit:
        return _too_large(index, len(graph.nodes), limit)
    return graph


def _to_be_seen(index: Index, troubles: Troubles) -> list[int]:
    """What goes wrong first, then the user's own Functions, if they are few."""
    custom = [node.id for node in index.trace.nodes if node.kind in ("custom", "error")]
    few = custom if len(custom) <= MOST_CUSTOM else []
    return [*list(troubles.of)[:MOST_TROUBLES], *few]


def _too_large(index: Index, count: int, limit: int) -> TooLarge:
    nodes = f"{len(index.trace.nodes):,}"
    said = say("drawing.too_large", nodes=nodes, count=f"{count:,}", limit=f"{limit:,}")
    return TooLarge(count=count, limit=limit, sentence=said)

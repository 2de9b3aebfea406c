"""Drawing of a trace's graph, limited in size by folding."""

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
"""Maximum number of boxes; Graphviz lays out this many in about a second."""

MOST_TROUBLES, MOST_CUSTOM = 3, 24
"""Maximum numbers of nodes with problems, and of custom nodes, whose groups are opened."""

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
    """Build the drawing of a trace's graph.

    Args:
        index: The trace.
        hierarchy: Its groups, if already known.
        folds: Groups that the user opened and closed.
        troubles: Known problems; searched for with a small budget if omitted.
        limit: Maximum number of boxes.
        builtin_saved: Whether built-in nodes show their saved tensors too.
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
    """Nodes that should be visible: first problems, then custom Functions if they are few."""
    custom = [node.id for node in index.trace.nodes if node.kind in ("custom", "error")]
    few = custom if len(custom) <= MOST_CUSTOM else []
    return [*list(troubles.of)[:MOST_TROUBLES], *few]


def _too_large(index: Index, count: int, limit: int) -> TooLarge:
    nodes = f"{len(index.trace.nodes):,}"
    said = say("drawing.too_large", nodes=nodes, count=f"{count:,}", limit=f"{limit:,}")
    return TooLarge(count=count, limit=limit, sentence=said)

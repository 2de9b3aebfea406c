"""Why a node cannot run a second time, and how the second pass came to it."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.analysis.index.step_queries import pass_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class FreedGraph:
    """A node that has run in an earlier pass, which freed what the node had saved.

    Attributes:
        freed_by: That pass.
        carried_by: The forward step through which the second pass came to older parts of the
            graph, if leaves could be reached without them; None if all of the second pass goes
            through them.
    """

    freed_by: PassSpan
    carried_by: int | None


def find_freed_graph(index: TraceIndex, node: int, step: int) -> FreedGraph | None:
    """Find the pass that has freed what a node had saved.

    Args:
        index: The trace.
        node: The node that torch refused to run again.
        step: The step in which it refused.

    Returns:
        None if the node has not run before.
    """
    visits = [number for number in index.visits.get(node, ()) if number <= step]
    if len(visits) < 2:
        return None
    # The last visit is the one that failed.
    freed_by, refused = (pass_at(index, number) for number in visits[-2:])
    if freed_by is None or refused is None:
        return None
    roots = [root.node for root in refused.roots]
    return FreedGraph(freed_by=freed_by, carried_by=_crossing(index, roots, freed_by.first))


def _crossing(index: TraceIndex, roots: list[int], before: int) -> int | None:
    """The first step whose nodes lead from newer parts of a graph to those before a step."""
    crossings, reaches_leaf = [], False
    waiting, seen = list(roots), set(roots)
    while waiting:
        node = waiting.pop()
        made = index.made_at.get(node, 0)
        if made < before:
            continue
        for edge in index.leaving.get(node, ()):
            if index.node[edge.target].kind == "accumulate":
                reaches_leaf = True
            elif index.made_at.get(edge.target, 0) < before:
                crossings.append(made)
            elif edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    return min(crossings) if crossings and reaches_leaf else None

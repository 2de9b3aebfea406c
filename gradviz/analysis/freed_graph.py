"""Why a node cannot run a second time, and how the second pass came to it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from gradviz.analysis.index.step_queries import pass_at, step_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.model.step import ForwardStep, PassBeginStep

FreedHow = Literal["carried", "built_once", "shared"]
"""``carried``: a tensor of an earlier iteration leads there, and the line that made the node has
run again since; ``built_once``: the same line starts all passes, but the one that made the node ran
once; ``shared``: two passes of different lines.
"""


class FreedGraph(Struct, frozen=True, kw_only=True):
    """A node that has run in an earlier pass, which freed what the node had saved.

    Attributes:
        how: How both passes came to the node.
        freed_by: The earlier pass.
        made: The forward step that made the node; None if it was not recorded.
        carried_by: The forward step through which the second pass came to older parts of the
            graph, if leaves could be reached without them; None if all of the second pass goes
            through them.
        older: The step that made the tensor of those parts which it uses; None if unknown.
    """

    how: FreedHow
    freed_by: PassSpan
    made: ForwardStep | None
    carried_by: int | None
    older: int | None


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
    made = step_at(index, index.made_at.get(node, 0))
    made = made if isinstance(made, ForwardStep) else None
    roots = [root.node for root in refused.roots]
    crossing = _crossing(index, roots, freed_by.first)
    return FreedGraph(
        how=_how(index, made, freed_by, refused),
        freed_by=freed_by,
        made=made,
        carried_by=None if crossing is None else crossing[0],
        older=None if crossing is None else index.made_at.get(crossing[1]),
    )


def _how(
    index: TraceIndex, made: ForwardStep | None, freed_by: PassSpan, refused: PassSpan
) -> FreedHow:
    begins = [step_at(index, span.first) for span in (freed_by, refused)]
    lines = [each.location if isinstance(each, PassBeginStep) else None for each in begins]
    if made is None or made.location is None or lines[0] is None or lines[0] != lines[1]:
        return "shared"
    for number in range(freed_by.last, refused.first):
        later = step_at(index, number)
        if isinstance(later, ForwardStep) and (later.op, later.location) == (
            made.op,
            made.location,
        ):
            return "carried"
    return "built_once"


def _crossing(index: TraceIndex, roots: list[int], before: int) -> tuple[int, int] | None:
    """The first step whose nodes lead from newer parts of a graph to those before a step.

    With the node of the older part.
    """
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
                crossings.append((made, edge.target))
            elif edge.target not in seen:
                seen.add(edge.target)
                waiting.append(edge.target)
    return min(crossings) if crossings and reaches_leaf else None

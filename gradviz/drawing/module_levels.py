"""The first levels of the hierarchy: the calls of modules in which nodes were made."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from gradviz.drawing.draft import Draft, Drafts
from gradviz.model.index import Index

DEEPEST = 64
"""Modules that lie deeper count as parts of what is around them."""


def module_drafts(index: Index, order: Iterable[int]) -> Drafts:
    """Sorts nodes into the calls in which they were made.

    A call is one interval of the order; where nodes from elsewhere came between, as threads can
    cause, it becomes several.

    Args:
        index: The trace.
        order: Nodes in an order of the graph, without leaves.
    """
    drafts = Drafts()
    paths = _paths(index)
    begun: dict[int, int] = {}
    stack: list[tuple[int, int]] = []
    for node in order:
        path = paths.get(_call_of(index, node, paths), ())
        same = _common(path, (call for call, _ in stack))
        del stack[same:]
        for call in path[same:]:
            begun[call] = begun.get(call, 0) + 1
            key = f"m{call}" if begun[call] == 1 else f"m{call}.{begun[call]}"
            item = drafts.add(Draft(kind="module", key=key, call=call))
            drafts[_top(stack)].items.append(item)
            stack.append((call, ~item))
        drafts[_top(stack)].items.append(node)
    return drafts


def _paths(index: Index) -> dict[int | None, tuple[int, ...]]:
    """The calls around each call, outermost first, and itself."""
    paths: dict[int | None, tuple[int, ...]] = {None: ()}
    for module in index.trace.modules:
        outer = paths.get(module.parent, ())
        paths[module.id] = (*outer, module.id) if len(outer) < DEEPEST else outer
    return paths


def _call_of(index: Index, node: int, paths: dict[int | None, tuple[int, ...]]) -> int | None:
    """The call in which a node was made; if that was not seen, the one around all its users."""
    call = index.node[node].module_call
    if call is not None or node in index.made_at:
        return call
    calls = {index.node[edge.source].module_call for edge in index.arriving.get(node, ())}
    users = [paths.get(each, ()) for each in calls]
    shared = users[0] if users else ()
    for path in users[1:]:
        shared = shared[: _common(shared, path)]
    return shared[-1] if shared else None


def _common(first: Iterable[int], second: Iterable[int]) -> int:
    """How many items two paths have in common at their beginning."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _top(stack: list[tuple[int, int]]) -> int:
    return stack[-1][1] if stack else 0

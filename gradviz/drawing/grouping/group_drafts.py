"""Groups while the hierarchy is being built; at first, the module calls that made the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from gradviz.analysis.index.step_queries import is_outside_scope
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.groups import GroupKind

# The complement keeps 0 apart, which a minus sign would not: node 0 and draft 0 both exist.
DraftItem = int
"""A node by its id, or a draft by the complement ``~`` of its number."""


@dataclass(slots=True)
class GroupDraft:
    """A group under construction.

    Attributes:
        kind: As in `Group`.
        key: As in `Group`.
        call: As in `Group`.
        span: As in `Group`.
        made_in: As in `Group`.
        items: Direct members in forward order, without leaves.
        leaves: Leaves that are direct members.
    """

    kind: GroupKind
    key: str
    call: int | None = None
    span: tuple[int, int, int] | None = None
    made_in: int | None = None
    items: list[DraftItem] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)


class GroupDrafts:
    """All drafts of a hierarchy; number 0 is the root."""

    def __init__(self) -> None:
        self.drafts = [GroupDraft(kind="root", key="")]

    def __getitem__(self, number: int) -> GroupDraft:
        return self.drafts[number]

    def __len__(self) -> int:
        return len(self.drafts)

    def add(self, draft: GroupDraft) -> DraftItem:
        """Append a draft and return the item that refers to it."""
        self.drafts.append(draft)
        return ~(len(self.drafts) - 1)

    def inner_nodes(self, item: DraftItem) -> list[int]:
        """All nodes in an item, at any depth, in forward order, without leaves."""
        found: list[int] = []
        waiting = [item]
        while waiting:
            each = waiting.pop()
            if each >= 0:
                found.append(each)
            else:
                waiting += reversed(self.drafts[~each].items)
        return found

    def homes(self) -> tuple[dict[int, int], dict[int, int]]:
        """Map each node, except leaves, and each draft to the draft around it."""
        nodes: dict[int, int] = {}
        parents: dict[int, int] = {}
        waiting = [0]
        while waiting:
            number = waiting.pop()
            for item in self.drafts[number].items:
                if item >= 0:
                    nodes[item] = number
                else:
                    parents[~item] = number
                    waiting.append(~item)
        return nodes, parents


DEEPEST = 64
"""Modules nested more deeply count as part of the module around them."""


def module_drafts(index: TraceIndex, order: Iterable[int]) -> GroupDrafts:
    """Sort nodes into the module calls in which they were made.

    A call is one interval of the order. If nodes from elsewhere come in between, as threads can
    cause, it is split into several.

    Args:
        index: The trace.
        order: Nodes in a topological order of the graph, without leaves.
    """
    drafts = GroupDrafts()
    paths = _paths(index)
    begun: dict[int, int] = {}
    stack: list[tuple[int, int]] = []
    previous: tuple[int, ...] | None = None
    for node in order:
        path = paths.get(_call_of(index, node, paths), ())
        if index.node[node].made_in is None:
            # Most nodes were made in the same call as the one before. There is one tuple for each
            # path.
            if path is previous:
                drafts[_top(stack)].items.append(node)
                continue
            previous = path
        else:
            # Groups of what backward made follow on the stack.
            previous = None
        enclosing = [call for call, _ in stack]
        path += _made(
            index, node, enclosing[len(path) :] if enclosing[: len(path)] == [*path] else []
        )
        same = _common(path, enclosing)
        del stack[same:]
        for call in path[same:]:
            begun[call] = begun.get(call, 0) + 1
            item = drafts.add(_draft(call, begun[call]))
            drafts[_top(stack)].items.append(item)
            stack.append((call, ~item))
        drafts[_top(stack)].items.append(node)
    return drafts


def _draft(call: int, time: int) -> GroupDraft:
    """Build the draft of a call, or of what a step (given as complement ``~``) made."""
    part = "" if time == 1 else f".{time}"
    if call >= 0:
        return GroupDraft(kind="module", key=f"m{call}{part}", call=call)
    return GroupDraft(kind="made", key=f"d{~call}{part}", made_in=~call)


def _made(index: TraceIndex, node: int, enclosing: Sequence[int]) -> tuple[int, ...]:
    """Backward steps that made a node and its makers, outermost first; complements.

    A higher order goes inside the lower order it was made from, unless something came in between.

    Args:
        index: The trace.
        node: The node in question.
        enclosing: Groups around the preceding node.
    """
    made = index.node[node].made_in
    if made is None:
        return ()
    for at, step in enumerate(enclosing):
        if step == ~made:
            return tuple(enclosing[: at + 1])
    order, maker = index.orders.of_node(node), index.node[node].made_by
    inside = [
        at
        for at, step in enumerate(enclosing)
        if int(index.steps.nodes[~step - 1]) == maker or _was_made_in(index, maker, ~step)
    ]
    outer = enclosing[: inside[-1] + 1] if inside and order > 2 else ()
    return (*outer, ~made)


def _was_made_in(index: TraceIndex, node: int | None, step: int) -> bool:
    return node is not None and node in index.node and index.node[node].made_in == step


def _paths(index: TraceIndex) -> dict[int | None, tuple[int, ...]]:
    """The calls around each call, outermost first, and the call itself."""
    paths: dict[int | None, tuple[int, ...]] = {None: ()}
    for module in index.trace.modules:
        outer = paths.get(module.parent, ())
        paths[module.id] = (*outer, module.id) if len(outer) < DEEPEST else outer
    return paths


def _call_of(index: TraceIndex, node: int, paths: dict[int | None, tuple[int, ...]]) -> int | None:
    """Module call that made a node; if not recorded, the innermost around all its users."""
    call = index.node[node].module_call
    if call is not None or node in index.made_at or is_outside_scope(index, node):
        return call
    calls = {index.node[edge.source].module_call for edge in index.arriving.get(node, ())}
    users = [paths.get(each, ()) for each in calls]
    shared = users[0] if users else ()
    for path in users[1:]:
        shared = shared[: _common(shared, path)]
    return shared[-1] if shared else None


def _common(first: Iterable[int], second: Iterable[int]) -> int:
    """Length of the common beginning of two paths."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _top(stack: list[tuple[int, int]]) -> int:
    return stack[-1][1] if stack else 0

"""Grouping of a graph's nodes into modules, repetitions, and parts of long sequences."""

from __future__ import annotations

from collections import deque
from collections.abc import Container

from gradviz.analysis.index.step_queries import is_outside_scope
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.group_drafts import GroupDrafts
from gradviz.drawing.grouping.groups import Group, Hierarchy
from gradviz.drawing.grouping.leaf_placement import place_leaves, used_leaves
from gradviz.drawing.grouping.level_shortening import shorten_levels
from gradviz.drawing.grouping.module_groups import module_drafts

_NEVER = 1 << 62


def forward_order(index: TraceIndex) -> list[int]:
    """Sort the nodes of a trace as forward made them, which is also a topological order.

    Nodes that one backward step made stay together. A node whose creation was not recorded, such
    as a leaf, comes right before its first user. Any interval of a topological order can be folded
    into one box without making a cycle.

    Returns:
        Ids of all nodes. Nodes on a cycle, which torch never makes, come last.
    """
    users_first = _users_first(index)
    records, made_at, arriving = index.node, index.made_at, index.arriving
    is_partial = bool(index.trace.scope.only)
    made: dict[int, int] = {}
    for node in users_first:
        # The step that made the node: a backward step, or else its forward step.
        made_in = records[node].made_in
        earliest = made_at.get(node, _NEVER) if made_in is None else made_in
        for edge in arriving.get(node, ()):
            # Users come first in this loop, so a node never counts as made after them.
            use = made.get(edge.source)
            if use is not None and use < earliest:
                earliest = use
        # Testing the flag first saves a call for each node.
        if is_partial and is_outside_scope(index, node):
            # Before the modules that use it, because it was not made inside of them.
            earliest = _first_of_phase(index, earliest) - 1
        made[node] = earliest
    # Sorting is stable, so among nodes made in the same step, users come last.
    ordered = users_first[::-1]
    ordered.sort(key=made.__getitem__)
    return ordered + [node for node in records if node not in made]


def _first_of_phase(index: TraceIndex, step: int) -> int:
    return max((phase.first for phase in index.phases if phase.first <= step), default=step)


def _users_first(index: TraceIndex) -> list[int]:
    waiting = {node: len(index.arriving.get(node, ())) for node in index.node}
    ready = deque(node for node, count in waiting.items() if not count)
    found: list[int] = []
    while ready:
        node = ready.popleft()
        found.append(node)
        for edge in index.leaving.get(node, ()):
            waiting[edge.target] -= 1
            if not waiting[edge.target]:
                ready.append(edge.target)
    return found


MOST_SEPARATE = 24
"""Up to this many custom Functions are kept out of parts; more are not special."""


def hierarchy_of(index: TraceIndex) -> Hierarchy:
    """Build the groups of a trace's graph, once for all drawings; not recursive."""
    order = forward_order(index)
    leaves = used_leaves(index)
    ends = frozenset(leaves)
    drafts = module_drafts(index, [node for node in order if node not in ends])
    _dissolve(index, drafts, ends)
    special = {node.id for node in index.trace.nodes if node.kind in ("custom", "error")}
    kept_separate = special if len(special) <= MOST_SEPARATE else frozenset[int]()
    shorten_levels(index, drafts, lambda node: node not in kept_separate)
    place_leaves(index, drafts, order, leaves)
    return _hierarchy(drafts, {node: at for at, node in enumerate(order)}, ends)


def _dissolve(index: TraceIndex, drafts: GroupDrafts, leaves: Container[int]) -> None:
    """Replace each module of one node without a leaf by the node: its box is pointless."""
    # Inner drafts have higher numbers, so nested modules of one node dissolve in one sweep.
    for number in range(len(drafts) - 1, -1, -1):
        items = drafts[number].items
        for at, item in enumerate(items):
            inner = drafts[~item].items if item < 0 and drafts[~item].kind == "module" else []
            if len(inner) == 1 and inner[0] >= 0 and not _has_leaf(index, inner[0], leaves):
                items[at] = inner[0]


def _has_leaf(index: TraceIndex, node: int, leaves: Container[int]) -> bool:
    """Whether a node has a leaf that no other node uses."""
    return any(
        edge.target in leaves and all(other.source == node for other in index.arriving[edge.target])
        for edge in index.leaving.get(node, ())
    )


def _hierarchy(drafts: GroupDrafts, position: dict[int, int], leaves: Container[int]) -> Hierarchy:
    numbers, parents = _numbered(drafts)
    counts = _counts(drafts, numbers, leaves)
    new = {number: at for at, number in enumerate(numbers)}
    groups = []
    for number in numbers:
        draft = drafts[number]
        nodes = [item for item in draft.items if item >= 0] + draft.leaves
        groups.append(
            Group(
                number=new[number],
                key=draft.key,
                kind=draft.kind,
                call=draft.call,
                parent=new.get(parents.get(number, -1)),
                groups=tuple(new[~item] for item in draft.items if item < 0),
                nodes=tuple(sorted(nodes, key=position.__getitem__)),
                span=draft.span,
                made_in=draft.made_in,
                node_count=counts[number][0],
                leaf_count=counts[number][1],
            )
        )
    return Hierarchy(
        groups=tuple(groups),
        home={node: group.number for group in groups for node in group.nodes},
        position=position,
        groups_by_key={group.key: group.number for group in groups},
    )


def _numbered(drafts: GroupDrafts) -> tuple[list[int], dict[int, int]]:
    """Numbers of the drafts in use, parents first, and the parent of each."""
    numbers, parents = [0], dict[int, int]()
    for number in numbers:
        for item in drafts[number].items:
            if item < 0:
                numbers.append(~item)
                parents[~item] = number
    return numbers, parents


def _counts(
    drafts: GroupDrafts, numbers: list[int], leaves: Container[int]
) -> dict[int, tuple[int, int]]:
    """Number of nodes and leaves in each draft, at any depth."""
    counts: dict[int, tuple[int, int]] = {}
    for number in reversed(numbers):
        draft = drafts[number]
        inner = [counts[~item] for item in draft.items if item < 0]
        nodes = sum(1 for item in draft.items if item >= 0)
        counts[number] = (
            nodes + sum(each[0] for each in inner),
            len(draft.leaves) + sum(each[1] for each in inner),
        )
    return counts

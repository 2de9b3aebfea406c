"""Grouping of a graph's nodes into modules, repetitions, and parts of long sequences."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Sequence

from gradviz.analysis.index.step_queries import is_outside_scope
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.group_drafts import GroupDraft, GroupDrafts, module_drafts
from gradviz.drawing.grouping.groups import Group, Hierarchy
from gradviz.drawing.grouping.level_shortening import shorten_levels

MOST_SHARED, MOST_OWN = 8, 2
"""Maximum number of a repetition's shared leaves, and of its others, kept outside of it.

So the weight of a loop and the input of a chain stay visible.
"""

MOST_LINKS = 12
"""Maximum number of link cards to leaves that several groups share.

If there would be more, as for a model called repeatedly, the leaves go into the first group.
"""

MANY = 20
"""More leaves than this with the same users form one group."""


def used_leaves(index: TraceIndex) -> list[int]:
    """``AccumulateGrad`` nodes with users: ends of the graph that can be drawn anywhere."""
    return [
        node.id
        for node in index.trace.nodes
        if node.kind == "accumulate"
        and index.arriving.get(node.id)
        and not index.leaving.get(node.id)
    ]


def place_leaves(
    index: TraceIndex, drafts: GroupDrafts, order: Sequence[int], leaves: list[int]
) -> None:
    """Put each leaf into a draft: with its users, but visible where there are few."""
    work = _LeafPlacement(index, drafts, order)
    inside: dict[tuple[int, bool], list[tuple[int, int, int]]] = defaultdict(list)
    between: dict[int, list[int]] = defaultdict(list)
    for leaf in leaves:
        shared, outer, outermost = work.candidates(leaf)
        if outermost is None:
            between[shared].append(leaf)
        else:
            inside[outermost, shared == outermost].append((leaf, shared, outer))
    for (_, is_shared), found in inside.items():
        stay = len(found) <= (MOST_SHARED if is_shared else MOST_OWN)
        for leaf, shared, outer in found:
            if stay:
                drafts[outer].leaves.append(leaf)
            else:
                between[shared].append(leaf)
    for number, among in between.items():
        crowded = sum(work.links(leaf, number) for leaf in among) > MOST_LINKS
        for leaf in among:
            draft_number = work.first_home(leaf, number) if crowded else number
            drafts[draft_number].leaves.append(leaf)
    for number in range(len(drafts)):
        work.bundle(number)


class _LeafPlacement:
    def __init__(self, index: TraceIndex, drafts: GroupDrafts, order: Sequence[int]) -> None:
        self._index = index
        self._position = {node: at for at, node in enumerate(order)}
        self._drafts = drafts
        self._nodes, self._parents = drafts.homes()
        self._paths: dict[int, tuple[int, ...]] = {0: (0,)}

    def candidates(self, leaf: int) -> tuple[int, int, int | None]:
        """Find the drafts where a leaf could go.

        Returns:
            The innermost draft around all users; the innermost module or root around that draft;
            and the outermost draft between them that is neither, if there is one.
        """
        path = self._around_users(leaf)
        synthetic = len(path)
        while self._drafts[path[synthetic - 1]].kind not in ("root", "module"):
            synthetic -= 1
        outermost = path[synthetic] if synthetic < len(path) else None
        return path[-1], path[synthetic - 1], outermost

    def links(self, leaf: int, number: int) -> int:
        """Number of cards that would link to a leaf that groups of a draft share."""
        inner = {self._below(user, number) for user in self._users(leaf)}
        return len(inner) if None not in inner and len(inner) > 1 else 0

    def first_home(self, leaf: int, number: int) -> int:
        """Innermost draft around the first user of a leaf that groups of a draft share.

        The users come after the leaf in forward order, so this makes no cycle as long as the drafts
        in between are intervals of that order. Folded parts are not intervals, so it stops there.
        """
        if not self.links(leaf, number):
            return number
        first = min(self._users(leaf), key=self._position.__getitem__)
        path = self._path(self._nodes[first])
        draft_number = number
        for each in path[path.index(number) + 1 :]:
            draft = self._drafts[each]
            if draft.kind == "part" and draft.span is None:
                break
            draft_number = each
        return draft_number

    def _below(self, node: int, number: int) -> int | None:
        """Direct child of a draft that contains a node; None if the node is a direct member."""
        path = self._path(self._nodes[node])
        return path[path.index(number) + 1] if path[-1] != number else None

    def bundle(self, number: int) -> None:
        """Group leaves that have the same users, if a draft has very many leaves."""
        draft = self._drafts[number]
        if len(draft.leaves) <= MANY:
            return
        alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for leaf in draft.leaves:
            alike[self._users(leaf)].append(leaf)
        draft.leaves = []
        for leaves in alike.values():
            if len(leaves) <= MANY:
                draft.leaves += leaves
            else:
                key = f"l{leaves[0]}n{len(leaves)}"
                draft.items.append(
                    self._drafts.add(GroupDraft(kind="leaves", key=key, leaves=leaves))
                )

    def _users(self, leaf: int) -> tuple[int, ...]:
        # Without duplicates, as for x * x, where one node uses the leaf twice.
        return tuple(dict.fromkeys(edge.source for edge in self._index.arriving[leaf]))

    def _around_users(self, leaf: int) -> tuple[int, ...]:
        homes = {self._nodes[edge.source] for edge in self._index.arriving[leaf]}
        paths = [self._path(draft_number) for draft_number in homes]
        if len(paths) == 1:
            return paths[0]
        shared = 1
        shortest = min(map(len, paths))
        while shared < shortest and len({path[shared] for path in paths}) == 1:
            shared += 1
        return paths[0][:shared]

    def _path(self, number: int) -> tuple[int, ...]:
        """The drafts from the root down to a draft."""
        if number not in self._paths:
            missing = [number]
            while self._parents[missing[-1]] not in self._paths:
                missing.append(self._parents[missing[-1]])
            for each in reversed(missing):
                self._paths[each] = (*self._paths[self._parents[each]], each)
        return self._paths[number]


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
    begin = min((phase.first for phase in index.phases), default=0)
    made: dict[int, int] = {}
    for node in users_first:
        # The step that made the node: a backward step, or else its forward step.
        made_in = records[node].made_in
        earliest = made_at.get(node, _NEVER) if made_in is None else made_in
        if earliest < begin:
            # A leaf that earlier iterations used, too.
            earliest = _NEVER
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

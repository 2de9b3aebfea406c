"""Choice of the groups that are open, limited to what stays readable."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.groups import FoldState, Group, Hierarchy


class BoxCounts:
    """Box counter that includes the cards of leaves.

    A leaf is drawn once beside each box that uses it, as long as the group it is in is open.
    """

    def __init__(self, index: TraceIndex, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._leaf_copies: Counter[int] = Counter()
        self._links: Counter[int] = Counter()
        self.whole = len(index.node)
        leaves = {node.id for node in index.trace.nodes if node.kind == "accumulate"}
        for leaf in leaves:
            self._count_uses(index, leaf)
        for node, home in hierarchy.home.items():
            if node not in leaves:
                self._links[home] += 1

    def _count_uses(self, index: TraceIndex, leaf: int) -> None:
        groups, home = self._hierarchy.groups, self._hierarchy.home[leaf]
        users = {edge.source for edge in index.arriving.get(leaf, ())}
        if not users:
            self._links[home] += 1
        self.whole += max(len(users) - 1, 0)
        seen: set[int] = set()
        for user in users:
            number: int | None = self._hierarchy.home[user]
            self._links[self._hierarchy.home[user]] += 1
            above = []
            while number is not None and number != home and number not in seen:
                above.append(number)
                number = groups[number].parent
            # A leaf in another group, which is usually folded, gets an edge but no card.
            if number is not None:
                seen.update(above)
                self._leaf_copies.update(above)

    def folded(self, group: Group) -> int:
        """Number of boxes of a folded group."""
        return 1 + self._leaf_copies[group.number]

    def opened(self, group: Group) -> int:
        """Number of boxes of an open group whose inner groups are all folded."""
        inner = (self._hierarchy.groups[number] for number in group.groups)
        return self._links[group.number] + sum(self.folded(each) for each in inner)


SMALL_GRAPH = 80
"""Graphs of up to this many boxes are not folded."""

FEW_BOXES = 40
"""Groups of one kind are opened together while the drawing has at most this many boxes."""

LEAST_BOXES = 5
"""An overview with fewer boxes says nothing of a model, so its next groups are opened."""

MOST_READABLE_BOXES = 150
"""Groups around important nodes are opened while there are at most this many boxes."""

MOST_TURNS = 24
"""Repetitions with more turns than this are not opened automatically."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenGroups:
    """The open groups of a hierarchy, which decide what its boxes are.

    Attributes:
        opened: Numbers of the open groups, with the root; the groups around them are open too.
        small: Whether the graph is so small that nothing is folded automatically.
    """

    opened: frozenset[int]
    small: bool


def choose_open_groups(
    index: TraceIndex,
    hierarchy: Hierarchy,
    folds: FoldState,
    seen: Sequence[int],
    most: int,
    *,
    overview: int = 0,
    sizes: BoxCounts | None = None,
) -> OpenGroups:
    """Choose the groups to open.

    Args:
        index: The trace.
        hierarchy: Its groups.
        folds: Groups that the user opened and closed.
        seen: Nodes that should be visible, most important first.
        most: Maximum number of boxes, not counting groups that the user opened.
        overview: The same for an overview, which also folds small graphs; 0 for none.
        sizes: The counts of the hierarchy, if already known.
    """
    sizes = sizes or BoxCounts(index, hierarchy)
    small = not overview and sizes.whole <= min(SMALL_GRAPH, most)
    if small:
        opened = frozenset(range(len(hierarchy.groups)))
    else:
        opening = _GroupOpener(index, hierarchy, sizes)
        for node in seen:
            opening.open(hierarchy.around(node), overview or min(MOST_READABLE_BOXES, most))
        opening.open_by_levels(overview or min(FEW_BOXES, most))
        opened = frozenset(opening.opened)
    return OpenGroups(opened=_by_hand(hierarchy, opened, folds), small=small)


def _by_hand(hierarchy: Hierarchy, opened: frozenset[int], folds: FoldState) -> frozenset[int]:
    """Open groups after the user's own opening and closing is applied."""
    found: set[int] = set()
    waiting = [0]
    while waiting:
        number = waiting.pop()
        group = hierarchy.groups[number]
        found.add(number)
        # Opening such a group would show nothing but one other box, so that is opened as well.
        only = len(group.groups) == 1 and not group.nodes
        for inner in group.groups:
            key = hierarchy.groups[inner].key
            wanted = only or inner in opened or key in folds.opened
            if wanted and key not in folds.closed:
                waiting.append(inner)
    return frozenset(found)


class _GroupOpener:
    """Opens groups one by one and counts the resulting boxes."""

    def __init__(self, index: TraceIndex, hierarchy: Hierarchy, sizes: BoxCounts) -> None:
        self._index = index
        self._groups = hierarchy.groups
        self._sizes = sizes
        self.opened = {0}
        self._boxes = sizes.opened(hierarchy.groups[0])

    def open(self, groups: Iterable[Group], most: int) -> bool:
        """Open all given groups, or none of them if the limit would be exceeded.

        The groups around each of them must be open or among them.
        """
        closed = [group for group in groups if group.number not in self.opened]
        # The group's own box goes away when it is opened.
        more = sum(self._sizes.opened(each) - self._sizes.folded(each) for each in closed)
        if self._boxes + more > most:
            return False
        self._boxes += more
        self.opened.update(group.number for group in closed)
        return True

    def open_by_levels(self, most: int) -> None:
        waiting = deque([[self._groups[0]]])
        while waiting:
            for alike in self._kinds_in(waiting.popleft()):
                if _is_telling(alike):
                    self.open(alike, most if self._boxes >= LEAST_BOXES else max(most, FEW_BOXES))
                waiting.append([group for group in alike if group.number in self.opened])

    def _kinds_in(self, outer: list[Group]) -> list[list[Group]]:
        """Sort inner groups of one kind together, so that equal groups look equal."""
        found: dict[Hashable, list[Group]] = {}
        for group in outer:
            for number in group.groups:
                inner = self._groups[number]
                found.setdefault(self._comparison_key(inner), []).append(inner)
        return list(found.values())

    def _comparison_key(self, group: Group) -> Hashable:
        if group.call is not None:
            return "module", self._index.module[group.call].class_name
        return group.kind, None if group.kind in ("turn", "made") else group.key


def _is_telling(groups: list[Group]) -> bool:
    """Whether the inside of these groups is worth showing."""
    return all(
        group.kind in ("module", "turn", "made")
        or (group.kind == "repeat" and group.span is not None and group.span[2] <= MOST_TURNS)
        for group in groups
    )

"""Choice of the groups that are open, limited to what stays readable."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from gradviz.drawing.folds import Folds
from gradviz.drawing.group import Group, Hierarchy
from gradviz.drawing.sizes import Sizes
from gradviz.model.index import Index

SMALL = 80
"""Graphs of up to this many boxes are not folded."""

CALM = 40
"""Groups of one kind are opened together while the drawing has at most this many boxes."""

READABLE = 150
"""Groups around important nodes are opened while there are at most this many boxes."""

MOST_TURNS = 24
"""Repetitions with more turns than this are not opened automatically."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The open groups of a hierarchy, which decide what its boxes are.

    Attributes:
        opened: Numbers of the open groups, with the root; the groups around them are open too.
        small: Whether the graph is so small that nothing is folded automatically.
    """

    opened: frozenset[int]
    small: bool


def cut_of(index: Index, hierarchy: Hierarchy, folds: Folds, seen: Sequence[int], most: int) -> Cut:
    """Choose the groups to open.

    Args:
        index: The trace.
        hierarchy: Its groups.
        folds: Groups that the user opened and closed.
        seen: Nodes that should be visible, most important first.
        most: Maximum number of boxes, not counting groups that the user opened.
    """
    sizes = Sizes(index, hierarchy)
    small = sizes.whole <= min(SMALL, most)
    if small:
        opened = frozenset(range(len(hierarchy.groups)))
    else:
        opening = _Opening(index, hierarchy, sizes)
        for node in seen:
            opening.open(hierarchy.around(node), min(READABLE, most))
        opening.open_by_levels(min(CALM, most))
        opened = frozenset(opening.opened)
    return Cut(opened=_by_hand(hierarchy, opened, folds), small=small)


def _by_hand(hierarchy: Hierarchy, opened: frozenset[int], folds: Folds) -> frozenset[int]:
    """Open groups after the user's own opening and closing is applied."""
    found: set[int] = set()
    waiting = [0]
    while waiting:
        number = waiting.pop()
        group = hierarchy.groups[number]
        found.add(number)
        only = len(group.groups) == 1 and not group.nodes
        for inner in group.groups:
            key = hierarchy.groups[inner].key
            wanted = only or inner in opened or key in folds.opened
            if wanted and key not in folds.closed:
                waiting.append(inner)
    return frozenset(found)


class _Opening:
    """Opens groups one by one and counts the resulting boxes."""

    def __init__(self, index: Index, hierarchy: Hierarchy, sizes: Sizes) -> None:
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
                    self.open(alike, most)
                waiting.append([group for group in alike if group.number in self.opened])

    def _kinds_in(self, outer: list[Group]) -> list[list[Group]]:
        """Sort inner groups of one kind together, so that equal groups look equal."""
        found: dict[Hashable, list[Group]] = {}
        for group in outer:
            for number in group.groups:
                inner = self._groups[number]
                found.setdefault(self._look(inner), []).append(inner)
        return list(found.values())

    def _look(self, group: Group) -> Hashable:
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

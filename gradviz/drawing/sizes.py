"""Number of boxes that a group needs when folded and when open."""

from __future__ import annotations

from collections import Counter

from gradviz.drawing.group import Group, Hierarchy
from gradviz.model.index import Index


class Sizes:
    """Box counter that includes the cards of leaves.

    A leaf is drawn once beside each box that uses it, as long as the group it is in is open.
    """

    def __init__(self, index: Index, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._beside: Counter[int] = Counter()
        self._links: Counter[int] = Counter()
        self.whole = len(index.node)
        leaves = {node.id for node in index.trace.nodes if node.kind == "accumulate"}
        for leaf in leaves:
            self._count_uses(index, leaf)
        for node, home in hierarchy.home.items():
            if node not in leaves:
                self._links[home] += 1

    def _count_uses(self, index: Index, leaf: int) -> None:
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
                self._beside.update(above)

    def folded(self, group: Group) -> int:
        """Number of boxes of a folded group."""
        return 1 + self._beside[group.number]

    def opened(self, group: Group) -> int:
        """Number of boxes of an open group whose inner groups are all folded."""
        inner = (self._hierarchy.groups[number] for number in group.groups)
        return self._links[group.number] + sum(self.folded(each) for each in inner)

"""How many boxes a group of the hierarchy needs when it is folded, and when it is opened."""

from __future__ import annotations

from collections import Counter

from gradviz.drawing.group import Group, Hierarchy
from gradviz.model.index import Index


class Sizes:
    """Counts boxes, cards of leaves included.

    Those are drawn once beside each box that uses them, as long as they live in what is open.
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
            # A leaf that lives in another group, which is mostly folded, has a line and no card.
            if number is not None:
                seen.update(above)
                self._beside.update(above)

    def folded(self, group: Group) -> int:
        """Boxes of a group that is folded."""
        return 1 + self._beside[group.number]

    def opened(self, group: Group) -> int:
        """Boxes of a group that is opened, all groups in it folded."""
        inner = (self._hierarchy.groups[number] for number in group.groups)
        return self._links[group.number] + sum(self.folded(each) for each in inner)

"""Decides in which group each leaf lives: with its users, but in sight where there are few."""

from __future__ import annotations

from collections import defaultdict

from gradviz.drawing.draft import Draft, Drafts
from gradviz.model.index import Index

MOST_SHARED, MOST_OWN = 8, 2
"""So many leaves of something repeated, used all along or at one place of it, stay outside of it:
the weight of a loop and the input of a chain are what one wants to see."""

MANY = 20
"""More leaves with the same users are one group."""


def leaves_of(index: Index) -> list[int]:
    """The ``AccumulateGrad`` nodes with users: ends of the graph that can be drawn anywhere."""
    return [
        node.id
        for node in index.trace.nodes
        if node.kind == "accumulate"
        and index.arriving.get(node.id)
        and not index.leaving.get(node.id)
    ]


def give_homes(index: Index, drafts: Drafts, leaves: list[int]) -> None:
    """Puts each leaf into the draft in which it lives."""
    work = _Homes(index, drafts)
    inside: dict[tuple[int, bool], list[tuple[int, int, int]]] = defaultdict(list)
    for leaf in leaves:
        shared, outer, outermost = work.candidates(leaf)
        if outermost is None:
            drafts[shared].leaves.append(leaf)
        else:
            inside[outermost, shared == outermost].append((leaf, shared, outer))
    for (_, is_shared), found in inside.items():
        stay = len(found) <= (MOST_SHARED if is_shared else MOST_OWN)
        for leaf, shared, outer in found:
            drafts[outer if stay else shared].leaves.append(leaf)
    for number in range(len(drafts)):
        work.bundle(number)


class _Homes:
    def __init__(self, index: Index, drafts: Drafts) -> None:
        self._index = index
        self._drafts = drafts
        self._nodes, self._parents = drafts.homes()
        self._paths: dict[int, tuple[int, ...]] = {0: (0,)}

    def candidates(self, leaf: int) -> tuple[int, int, int | None]:
        """Where a leaf may live.

        Returns:
            The innermost draft around all users; the innermost one around it that is a module or
            the root; and the outermost draft between them that is neither, if there is one.
        """
        path = self._around_users(leaf)
        synthetic = len(path)
        while self._drafts[path[synthetic - 1]].kind not in ("root", "module"):
            synthetic -= 1
        outermost = path[synthetic] if synthetic < len(path) else None
        return path[-1], path[synthetic - 1], outermost

    def bundle(self, number: int) -> None:
        """Makes groups of leaves that have the same users, where there are very many."""
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
                draft.items.append(self._drafts.add(Draft(kind="leaves", key=key, leaves=leaves)))

    def _users(self, leaf: int) -> tuple[int, ...]:
        return tuple(dict.fromkeys(edge.source for edge in self._index.arriving[leaf]))

    def _around_users(self, leaf: int) -> tuple[int, ...]:
        homes = {self._nodes[user] for user in self._users(leaf)}
        paths = [self._path(home) for home in homes]
        shared = 1
        shortest = min(map(len, paths))
        while shared < shortest and len({path[shared] for path in paths}) == 1:
            shared += 1
        return paths[0][:shared]

    def _path(self, number: int) -> tuple[int, ...]:
        """The drafts from the root to one."""
        if number not in self._paths:
            missing = [number]
            while self._parents[missing[-1]] not in self._paths:
                missing.append(self._parents[missing[-1]])
            for each in reversed(missing):
                self._paths[each] = (*self._paths[self._parents[each]], each)
        return self._paths[number]

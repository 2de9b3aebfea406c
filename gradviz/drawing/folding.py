"""Folds a graph until it can be shown: plain chains first, then small side branches.

Both steps keep a graph without cycles free of cycles: a chain has one way in and one way out, and
a branch that ends goes into its only user. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradviz.drawing.places import Places

LONG_CHAINS = (64, 16, 4)
"""Chains of at least so many places are folded, the longest first."""

BRANCH_SIZES = tuple(4 * 2**power for power in range(11))
"""Branches of at most so many places go into their user, the smallest first."""


def fold(places: Places, foldable: Sequence[bool], most: int) -> list[list[int]] | None:
    """Groups places until at most ``most`` groups are left.

    Args:
        places: What is to be drawn.
        foldable: Whether each place may be folded away.
        most: Greatest number of groups.

    Returns:
        The groups, each in the order from user to leaf; None where no folding is enough.
    """
    work = _Work(places, foldable)
    for _ in work.stages():
        if work.count <= most:
            return work.groups()
    return None


class _Work:
    """A graph of groups that become fewer. Each group is known by its first place."""

    def __init__(self, places: Places, foldable: Sequence[bool]) -> None:
        self.count = len(places.places)
        self._foldable = foldable
        self._out: list[dict[int, None]] = [{} for _ in places.places]
        self._into: list[dict[int, None]] = [{} for _ in places.places]
        for line in places.lines:
            if line.source != line.target:
                self._out[line.source][line.target] = None
                self._into[line.target][line.source] = None
        self._members: list[list[int]] = [[place] for place in range(self.count)]

    def groups(self) -> list[list[int]]:
        return [members for members in self._members if members]

    def stages(self) -> Iterator[None]:
        """Folds a little more at each step, and pauses so that the caller can stop."""
        yield
        for length in LONG_CHAINS:
            self._fold_chains(length)
            yield
        for size in BRANCH_SIZES:
            self._fold_branches(size)
            yield
            self._fold_chains(LONG_CHAINS[-1])
            yield

    def _in_chain(self, group: int) -> bool:
        one_way = len(self._out[group]) == 1 and len(self._into[group]) == 1
        return one_way and self._foldable[group]

    def _fold_chains(self, least: int) -> None:
        for start, members in enumerate(self._members):
            if not members or not self._in_chain(start):
                continue
            if self._in_chain(next(iter(self._into[start]))):
                continue
            chain = [start]
            follower = next(iter(self._out[start]))
            while self._in_chain(follower):
                chain.append(follower)
                follower = next(iter(self._out[follower]))
            if len(chain) >= least:
                self._merge_chain(chain, follower)

    def _merge_chain(self, chain: list[int], follower: int) -> None:
        first, last = chain[0], chain[-1]
        self._out[first] = {follower: None}
        del self._into[follower][last]
        self._into[follower][first] = None
        for group in chain[1:]:
            self._members[first] += self._members[group]
            self._clear(group)

    def _fold_branches(self, most: int) -> None:
        ends = [each for each, members in enumerate(self._members) if members]
        while ends:
            end = ends.pop()
            if not self._is_branch(end, most):
                continue
            user = next(iter(self._into[end]))
            if not self._foldable[user]:
                continue
            del self._out[user][end]
            self._members[user] += self._members[end]
            self._clear(end)
            if not self._out[user]:
                ends.append(user)

    def _is_branch(self, group: int, most: int) -> bool:
        if self._out[group] or len(self._into[group]) != 1:
            return False
        return self._foldable[group] and 0 < len(self._members[group]) <= most

    def _clear(self, group: int) -> None:
        self._members[group] = []
        self._out[group] = {}
        self._into[group] = {}
        self.count -= 1

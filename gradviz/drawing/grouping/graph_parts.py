"""Folding of a graph into connected parts: chains, side branches, then larger parts.

Each step keeps an acyclic graph acyclic: a group is merged into its only user, so no path can
leave a group and come back to it. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LONG_CHAINS = (64, 16, 4)
"""Minimum lengths of the chains to fold, longest first."""

BRANCH_SIZE = 4
"""Branches that end, of at most this many members, are merged into their user."""

PART_SIZES = tuple(4 * 2**power for power in range(15))
"""Limits up to which groups are then merged into their only user, smallest first."""


def fold_graph(
    count: int, lines: Sequence[tuple[int, int]], foldable: Sequence[bool], most: int
) -> list[list[int]]:
    """Merge items until at most ``most`` groups are left.

    Args:
        count: Number of items, which are identified by position.
        lines: Pairs of user and used item, by position.
        foldable: Whether each item may be merged into a group.
        most: Maximum number of groups.

    Returns:
        The groups, each from user to used; more than ``most`` if folding is not enough.
    """
    work = _PartFolder(count, lines, foldable)
    for _ in work.stages():
        if work.count <= most:
            break
    return work.groups()


class _PartFolder:
    """A shrinking graph of groups, each identified by its first member."""

    def __init__(
        self, count: int, lines: Sequence[tuple[int, int]], foldable: Sequence[bool]
    ) -> None:
        self.count = count
        self._foldable = foldable
        # Dicts as ordered sets, so that the same graph is always folded the same way.
        self._out: list[dict[int, None]] = [{} for _ in range(count)]
        self._into: list[dict[int, None]] = [{} for _ in range(count)]
        for source, target in lines:
            if source != target:
                self._out[source][target] = None
                self._into[target][source] = None
        self._members: list[list[int]] = [[each] for each in range(count)]

    def groups(self) -> list[list[int]]:
        return [members for members in self._members if members]

    def stages(self) -> Iterator[None]:
        """Fold a little more at each iteration, so that the caller can stop."""
        yield
        for length in LONG_CHAINS:
            self._fold_chains(length)
            yield
        self._fold_branches(BRANCH_SIZE)
        yield
        for size in PART_SIZES:
            self._fold_into_users(size)
            yield

    def _in_chain(self, group: int) -> bool:
        one_way = len(self._out[group]) == 1 and len(self._into[group]) == 1
        return one_way and self._foldable[group]

    def _fold_chains(self, least: int) -> None:
        for start, members in enumerate(self._members):
            if not members or not self._in_chain(start):
                continue
            # Not the start of its chain, which is or was found from there.
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

    def _fold_into_users(self, most: int) -> None:
        waiting = [each for each, members in enumerate(self._members) if members]
        while waiting:
            group = waiting.pop()
            user = self._only_user(group)
            if user is None or len(self._members[group]) + len(self._members[user]) > most:
                continue
            targets = self._out[group]
            del self._out[user][group]
            for target in targets:
                del self._into[target][group]
                if target != user:
                    self._into[target][user] = None
                    self._out[user][target] = None
            self._members[user] += self._members[group]
            self._clear(group)
            # The merge can leave these with a single user, so they are candidates again.
            waiting += [user, *targets]

    def _only_user(self, group: int) -> int | None:
        if not self._members[group] or len(self._into[group]) != 1 or not self._foldable[group]:
            return None
        user = next(iter(self._into[group]))
        return user if self._foldable[user] and user != group else None

    def _clear(self, group: int) -> None:
        self._members[group] = []
        self._out[group] = {}
        self._into[group] = {}
        self.count -= 1

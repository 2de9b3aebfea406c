"""Choice of the group for each leaf: with its users, but visible where there are few."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.group_drafts import GroupDraft, GroupDrafts

MOST_SHARED, MOST_OWN = 8, 2
"""Maximum number of a repetition's shared leaves, and of its others, kept outside of it.

So the weight of a loop and the input of a chain stay visible.
"""

MOST_LINKS = 24
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
    """Put each leaf into a draft.

    Args:
        index: The trace.
        drafts: Drafts that contain all other nodes.
        order: All nodes in forward order.
        leaves: Result of `used_leaves`.
    """
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

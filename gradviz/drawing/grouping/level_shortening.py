"""Shortening of long levels of the hierarchy: repetitions first, then connected parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.grouping.group_drafts import DraftItem, GroupDraft, GroupDrafts
from gradviz.drawing.grouping.groups import GroupKind

LONG_CHAINS = (64, 16, 4)
"""Minimum lengths of the chains to fold, longest first."""

BRANCH_SIZE = 4
"""Branches that end, of at most this many members, are merged into their user."""

PART_SIZES = tuple(4 * 2**power for power in range(15))
"""Limits up to which groups are then merged into their only user, smallest first."""


def fold_graph(
    count: int, lines: Sequence[tuple[int, int]], foldable: Sequence[bool], most: int
) -> list[list[int]]:
    """Merge items until at most ``most`` groups are left: chains, side branches, larger parts.

    Each step keeps an acyclic graph acyclic: a group is merged into its only user, so no path can
    leave a group and come back to it. Nothing here recurses.

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


LEAST_TIMES = 3
"""Minimum number of times for a repetition."""

LEAST_SAVED = 6
"""Minimum number of boxes that a repetition must save to be folded."""

# Every period is tried with a comparison of the whole level, so the search must be limited.
LONGEST = 512
"""Maximum number of items in one turn of a repetition."""

ROUNDS = 3

TokenArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRun:
    """A part of a sequence that repeats the same items.

    Attributes:
        start: Position of its first item.
        period: Number of items per turn.
        times: Number of turns.
        spare: How many items later the repetition could equally well start.
    """

    start: int
    period: int
    times: int
    spare: int = 0

    @property
    def stop(self) -> int:
        """Position after the last item."""
        return self.start + self.period * self.times

    @property
    def saved(self) -> int:
        """Number of boxes saved by drawing one turn instead of all items."""
        return self.period * (self.times - 1)


def find_repetitions(
    tokens: Sequence[int], lines: Sequence[int] | None = None
) -> list[RepeatedRun]:
    """Find the repetitions in a sequence, from left to right and without overlap.

    Those that save most are taken first; among equals, the shortest period. If several items could
    start a turn, the one that is highest in the source starts it, and the latest of these, since
    the first turn of a loop is often different.

    Args:
        tokens: A number per item, equal for items that look alike; not negative.
        lines: Source line of each item; 0 if unknown, which lets the first item start.
    """
    if len(tokens) <= LEAST_SAVED:
        return []
    left = np.array(tokens, dtype=np.int64)
    # Items that are taken never match again, not even themselves.
    taken = -1 - np.arange(len(left))
    found: list[RepeatedRun] = []
    for _ in range(ROUNDS):
        more = _disjoint(_candidates(left), len(left))
        for run in more:
            end = run.stop + run.spare
            left[run.start : end] = taken[run.start : end]
        found += more
        if not more or np.count_nonzero(left >= 0) <= LEAST_SAVED:
            break
    if lines is not None:
        found = [_begun_highest(run, lines) for run in found]
    return sorted(found, key=lambda run: run.start)


def _begun_highest(run: RepeatedRun, lines: Sequence[int]) -> RepeatedRun:
    starts = range(run.start, run.start + run.spare + 1)
    start = min(starts, key=lambda at: (lines[at], -at if lines[at] else at))
    return replace(run, start=start, spare=0)


def _candidates(tokens: TokenArray) -> list[RepeatedRun]:
    found = []
    for period in range(1, min(LONGEST, len(tokens) // LEAST_TIMES) + 1):
        least = max(LEAST_SAVED, period * (LEAST_TIMES - 1))
        same = tokens[:-period] == tokens[period:]
        if np.count_nonzero(same) < least:
            continue
        for start, length in _stretches(same, least):
            times = length // period + 1
            spare = length % period
            found.append(RepeatedRun(start=start, period=period, times=times, spare=spare))
    return [run for run in found if run.saved >= LEAST_SAVED]


def _stretches(same: npt.NDArray[np.bool_], least: int) -> list[tuple[int, int]]:
    """Start and length of each run of True that is long enough."""
    ends = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    starts, stops = ends[::2], ends[1::2]
    long = stops - starts >= least
    pairs = zip(starts[long].tolist(), (stops - starts)[long].tolist(), strict=True)
    return list(pairs)


def _disjoint(candidates: list[RepeatedRun], length: int) -> list[RepeatedRun]:
    free = np.ones(length, dtype=np.bool_)
    found = []
    for run in sorted(candidates, key=lambda run: (-run.saved, run.period, run.start)):
        end = run.stop + run.spare
        if free[run.start : end].all():
            free[run.start : end] = False
            found.append(run)
    return found


LevelSpan = tuple[int, int, int]

MOST = 50
"""Maximum number of items in one group, which is what opening it adds to a drawing."""

_MOST_SHARE = 0.9


def shorten_levels(index: TraceIndex, drafts: GroupDrafts, foldable: Callable[[int], bool]) -> None:
    """Group the items of each draft until none has more than `MOST`.

    Args:
        index: The trace.
        drafts: All drafts; new ones are appended.
        foldable: Returns whether a node may be folded into a part.
    """
    work = _LevelShortener(index, drafts, foldable)
    waiting = list(range(len(drafts)))
    while waiting:
        before = len(drafts)
        work.shorten(waiting.pop())
        waiting += range(before, len(drafts))


class _LevelShortener:
    def __init__(
        self, index: TraceIndex, drafts: GroupDrafts, foldable: Callable[[int], bool]
    ) -> None:
        self._index = index
        self._drafts = drafts
        self._foldable = foldable
        self._tokens: dict[Hashable, int] = {}
        self._known_repetitions: dict[tuple[int, ...], list[RepeatedRun]] = {}

    def shorten(self, number: int) -> None:
        draft = self._drafts[number]
        if draft.kind not in ("repeat", "part"):
            self._take_repetitions(draft)
        if len(draft.items) <= MOST:
            return
        turns = None if draft.kind == "turn" else draft.span
        if turns is None:
            self._take_parts(draft)
        if len(draft.items) > MOST:
            self._share_out(draft, turns)

    def _take_repetitions(self, draft: GroupDraft) -> None:
        items = draft.items
        if len(items) <= LEAST_SAVED:
            # Most levels are so short that nothing can repeat, and tokens take time.
            return
        runs = self._repetitions([self._token(each) for each in items], map(self._line, items))
        whole = len(runs) == 1 and runs[0].stop - runs[0].start == len(items)
        if whole and draft.kind == "module":
            # A repeat box that fills its whole module box would add nothing.
            draft.items = self._turns(items, runs[0])
            draft.span = (1, runs[0].times, runs[0].times)
            return
        kept: list[DraftItem] = []
        at = 0
        for run in runs:
            kept += items[at : run.start]
            turns = self._turns(items, run)
            kept.append(self._new("repeat", turns, (1, run.times, run.times)))
            at = run.stop
        draft.items = kept + items[at:]

    def _repetitions(self, tokens: list[int], lines: Iterable[int]) -> list[RepeatedRun]:
        """Find the repetitions in a level; equal ones, such as those of layers, share a result."""
        key = (*tokens, *lines)
        found = self._known_repetitions.get(key)
        if found is None:
            found = find_repetitions(tokens, key[len(tokens) :])
            self._known_repetitions[key] = found
        return found

    def _turns(self, items: list[DraftItem], run: RepeatedRun) -> list[DraftItem]:
        if run.period == 1:
            return items[run.start : run.stop]
        return [
            self._new("turn", items[at : at + run.period], (turn, turn, run.times))
            for turn, at in enumerate(range(run.start, run.stop, run.period), 1)
        ]

    def _take_parts(self, draft: GroupDraft) -> None:
        items = draft.items
        foldable = [item < 0 or self._foldable(item) for item in items]
        groups = [
            sorted(group) for group in fold_graph(len(items), self._lines(items), foldable, MOST)
        ]
        # A part with nearly everything makes hardly any progress: thousands of levels would nest.
        largest = max(map(len, groups))
        if len(groups) > MOST or (largest > MOST and largest > _MOST_SHARE * len(items)):
            return
        draft.items = [
            items[group[0]] if len(group) == 1 else self._new("part", [items[at] for at in group])
            for group in sorted(groups)
        ]

    def _lines(self, items: list[DraftItem]) -> list[tuple[int, int]]:
        """Which item of a level uses which other, as positions without duplicates."""
        inner = [self._drafts.inner_nodes(item) for item in items]
        owner = {node: at for at, nodes in enumerate(inner) for node in nodes}
        found: dict[tuple[int, int], None] = {}
        for node, at in owner.items():
            for edge in self._index.leaving.get(node, ()):
                target = owner.get(edge.target)
                if target is not None and target != at:
                    found[at, target] = None
        return list(found)

    def _share_out(self, draft: GroupDraft, turns: LevelSpan | None) -> None:
        """Split a level into intervals of equal length."""
        items, size = draft.items, MOST
        # An interval of more items is split again when its turn comes.
        while size * MOST < len(items):
            size *= MOST
        first, _, count = turns or (0, 0, 0)
        draft.items = [
            self._new(
                "part",
                items[at : at + size],
                (first + at, first + min(at + size, len(items)) - 1, count) if count else None,
            )
            for at in range(0, len(items), size)
        ]

    def _new(
        self, kind: GroupKind, items: list[DraftItem], span: LevelSpan | None = None
    ) -> DraftItem:
        # A box around a single item would only be one more click.
        if len(items) == 1:
            return items[0]
        nodes = [node for item in items for node in self._drafts.inner_nodes(item)]
        # Made from the contents, so that an opened group is found again in the same trace.
        key = f"{kind[0]}{nodes[0]}n{len(nodes)}"
        return self._drafts.add(GroupDraft(kind=kind, key=key, span=span, items=items))

    def _line(self, item: DraftItem) -> int:
        """Source line where a node was made; 0 if unknown, and for modules."""
        made = self._index.made_at.get(item)
        return 0 if made is None else int(self._index.steps.lines[made - 1])

    def _token(self, item: DraftItem) -> int:
        """Number shared by all items that look alike."""
        return self._tokens.setdefault(self._comparison_key(item), len(self._tokens))

    def _comparison_key(self, item: DraftItem) -> Hashable:
        if item >= 0:
            return "node", self._index.node[item].name
        draft = self._drafts[~item]
        if draft.made_in is not None:
            return "made", tuple(self._comparison_key(each) for each in draft.items)
        if draft.call is None or "." in draft.key:
            # A piece of a split call is not comparable with whole calls, only with the same piece.
            return "part", draft.key
        call = self._index.module[draft.call]
        # The oldest traces do not record classes.
        return "module", call.class_name or re.sub(r"\d+", "0", call.path)

"""Shortening of long levels of the hierarchy: repetitions first, then connected parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable

from gradviz.drawing.draft import Draft, Drafts, Item
from gradviz.drawing.folding import fold
from gradviz.drawing.group import GroupKind
from gradviz.drawing.repetition import Run, repetitions
from gradviz.model.index import Index

Span = tuple[int, int, int]

MOST = 50
"""Maximum number of items in one group, which is what opening it adds to a drawing."""


def shorten_levels(index: Index, drafts: Drafts, foldable: Callable[[int], bool]) -> None:
    """Group the items of each draft until none has more than `MOST`.

    Args:
        index: The trace.
        drafts: All drafts; new ones are appended.
        foldable: Returns whether a node may be folded into a part.
    """
    work = _Levels(index, drafts, foldable)
    waiting = list(range(len(drafts)))
    while waiting:
        before = len(drafts)
        work.shorten(waiting.pop())
        waiting += range(before, len(drafts))


class _Levels:
    def __init__(self, index: Index, drafts: Drafts, foldable: Callable[[int], bool]) -> None:
        self._index = index
        self._drafts = drafts
        self._foldable = foldable
        self._tokens: dict[Hashable, int] = {}

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

    def _take_repetitions(self, draft: Draft) -> None:
        items = draft.items
        tokens = [self._token(item) for item in items]
        runs = repetitions(tokens, [self._line(item) for item in items])
        whole = len(runs) == 1 and runs[0].stop - runs[0].start == len(items)
        if whole and draft.kind == "module":
            # A repeat box that fills its whole module box would add nothing.
            draft.items = self._turns(items, runs[0])
            draft.span = (1, runs[0].times, runs[0].times)
            return
        kept: list[Item] = []
        at = 0
        for run in runs:
            kept += items[at : run.start]
            turns = self._turns(items, run)
            kept.append(self._new("repeat", turns, (1, run.times, run.times)))
            at = run.stop
        draft.items = kept + items[at:]

    def _turns(self, items: list[Item], run: Run) -> list[Item]:
        if run.period == 1:
            return items[run.start : run.stop]
        return [
            self._new("turn", items[at : at + run.period], (turn, turn, run.times))
            for turn, at in enumerate(range(run.start, run.stop, run.period), 1)
        ]

    def _take_parts(self, draft: Draft) -> None:
        items = draft.items
        foldable = [item < 0 or self._foldable(item) for item in items]
        groups = [sorted(group) for group in fold(len(items), self._lines(items), foldable, MOST)]
        if len(groups) > MOST or max(map(len, groups)) == len(items):
            return
        draft.items = [
            items[group[0]] if len(group) == 1 else self._new("part", [items[at] for at in group])
            for group in sorted(groups)
        ]

    def _lines(self, items: list[Item]) -> list[tuple[int, int]]:
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

    def _share_out(self, draft: Draft, turns: Span | None) -> None:
        """Split a level into intervals of equal length."""
        items, size = draft.items, MOST
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

    def _new(self, kind: GroupKind, items: list[Item], span: Span | None = None) -> Item:
        if len(items) == 1:
            return items[0]
        nodes = [node for item in items for node in self._drafts.inner_nodes(item)]
        key = f"{kind[0]}{nodes[0]}n{len(nodes)}"
        return self._drafts.add(Draft(kind=kind, key=key, span=span, items=items))

    def _line(self, item: Item) -> int:
        """Source line where a node was made; 0 if unknown, and for modules."""
        made = self._index.made_at.get(item)
        return 0 if made is None else int(self._index.steps.lines[made - 1])

    def _token(self, item: Item) -> int:
        """Number shared by all items that look alike."""
        return self._tokens.setdefault(self._look(item), len(self._tokens))

    def _look(self, item: Item) -> Hashable:
        if item >= 0:
            return "node", self._index.node[item].name
        draft = self._drafts[~item]
        if draft.made_in is not None:
            return "made", tuple(self._look(each) for each in draft.items)
        if draft.call is None or "." in draft.key:
            # A piece of a split call is not comparable with whole calls, only with the same piece.
            return "part", draft.key
        call = self._index.module[draft.call]
        # The oldest traces do not record classes.
        return "module", call.class_name or re.sub(r"\d+", "0", call.path)

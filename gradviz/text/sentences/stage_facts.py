"""Cached facts about a stage that the sentences of its lines need repeatedly."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property

from gradviz.analysis.position.stage_cache import get_or_create
from gradviz.model.inside import Op, StageRecord, UserFrame
from gradviz.model.item import Item
from gradviz.text.sentences.code_quotes import StatementHead


class StageFacts:
    """Lines, calls and ops of a part, grouped by their parents. Create it with `stage_facts`."""

    def __init__(self, part: StageRecord) -> None:
        self.part = part
        self._turns: dict[int, int] = {}

    @cached_property
    def rows(self) -> dict[int, list[int]]:
        """Positions of each call's lines, in order."""
        rows: dict[int, list[int]] = defaultdict(list)
        for at, line in enumerate(self.part.lines):
            rows[line.frame].append(at)
        return rows

    @cached_property
    def calls(self) -> dict[int, list[UserFrame]]:
        """The calls made by each line, in order."""
        calls: dict[int, list[UserFrame]] = defaultdict(list)
        for frame in self.part.frames:
            if frame.caller is not None:
                calls[frame.caller].append(frame)
        return calls

    @cached_property
    def ops(self) -> dict[int, list[Op]]:
        """The ops run by each line, in order."""
        ops: dict[int, list[Op]] = defaultdict(list)
        for op in self.part.ops:
            if op.line is not None:
                ops[op.line].append(op)
        return ops

    @cached_property
    def _bindings(self) -> dict[tuple[int, str], tuple[list[int], list[Item | None]]]:
        """For each call and variable name: after which lines its value changed, and to what."""
        found: dict[tuple[int, str], tuple[list[int], list[Item | None]]] = {}

        def put(frame: int, name: str, at: int, item: Item | None) -> None:
            places, items = found.setdefault((frame, name), ([], []))
            places.append(at)
            items.append(item)

        for number, frame in enumerate(self.part.frames):
            for item in frame.arguments:
                put(number, item.name, -1, item)
        for at, line in enumerate(self.part.lines):
            for item in line.changes:
                put(line.frame, item.name, at, item)
            for name in line.removed:
                put(line.frame, name, at, None)
        return found

    def before(self, at: int, name: str) -> Item | None:
        """The value of a local variable before a line; None if it did not exist."""
        places, items = self._bindings.get((self.part.lines[at].frame, name), ([], []))
        position = bisect_left(places, at) - 1
        return items[position] if position >= 0 else None

    def after(self, at: int) -> int | None:
        """Position of the next line of the same call; None for the last line."""
        rows = self.rows[self.part.lines[at].frame]
        position = bisect_left(rows, at) + 1
        return rows[position] if position < len(rows) else None

    def within(self, at: int) -> range:
        """Positions of a line and of those run by the functions it called, which follow it."""
        after, lines = at + 1, self.part.lines
        rows = {at}
        while after < len(lines) and self.part.frames[lines[after].frame].caller in rows:
            rows.add(after)
            after += 1
        return range(at, after)

    def iterations_before(self, at: int, head: StatementHead) -> int:
        """How many iterations of a loop preceded the execution of its head at this line."""
        rows = self.rows[self.part.lines[at].frame]
        position = bisect_left(rows, at)
        waiting: list[int] = []
        # Counting from the first iteration each time would take quadratic time.
        while position >= 0 and rows[position] not in self._turns:
            waiting.append(rows[position])
            position = self._head_before(rows, position, head)
        turns = self._turns[rows[position]] if position >= 0 else -1
        for row in reversed(waiting):
            turns += 1
            self._turns[row] = turns
        return self._turns[at]

    def _head_before(self, rows: list[int], position: int, head: StatementHead) -> int:
        """Position of the head of the previous iteration; -1 in the first iteration."""
        for earlier in range(position - 1, -1, -1):
            line = self.part.lines[rows[earlier]].location.line
            if line == head.whole.start:
                return earlier
            if line not in head.whole:
                break
        return -1


def stage_facts(part: StageRecord) -> StageFacts:
    """The facts of a part; those of the last few parts are cached."""
    return get_or_create(StageFacts, part)

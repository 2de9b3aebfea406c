"""What the sentences of lines ask of a stage again and again, found out once."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property, lru_cache

from gradviz.model.inside import Frame, Op, Part
from gradviz.model.item import Item
from gradviz.model.part_order import SamePart
from gradviz.model.sentences.code import Head


class PartFacts:
    """Lines, calls and ops of a part by what they belong to. Make it with `facts_of`."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self._turns: dict[int, int] = {}

    @cached_property
    def rows(self) -> dict[int, list[int]]:
        """Positions of the lines of each call, in order."""
        rows: dict[int, list[int]] = defaultdict(list)
        for at, line in enumerate(self.part.lines):
            rows[line.frame].append(at)
        return rows

    @cached_property
    def calls(self) -> dict[int, list[Frame]]:
        """The calls that each line made, in order."""
        calls: dict[int, list[Frame]] = defaultdict(list)
        for frame in self.part.frames:
            if frame.caller is not None:
                calls[frame.caller].append(frame)
        return calls

    @cached_property
    def ops(self) -> dict[int, list[Op]]:
        """The ops of each line, in order."""
        ops: dict[int, list[Op]] = defaultdict(list)
        for op in self.part.ops:
            if op.line is not None:
                ops[op.line].append(op)
        return ops

    @cached_property
    def _bindings(self) -> dict[tuple[int, str], tuple[list[int], list[Item | None]]]:
        """For each call and name: after which lines the variable was something else, and what."""
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
        """What a local variable was before a line; None where it was not there."""
        places, items = self._bindings.get((self.part.lines[at].frame, name), ([], []))
        position = bisect_left(places, at) - 1
        return items[position] if position >= 0 else None

    def after(self, at: int) -> int | None:
        """Position of the next line of the same call; None where it has none."""
        rows = self.rows[self.part.lines[at].frame]
        position = bisect_left(rows, at) + 1
        return rows[position] if position < len(rows) else None

    def within(self, at: int) -> range:
        """A line and those that ran in the functions that it called, which follow it."""
        after, lines = at + 1, self.part.lines
        rows = {at}
        while after < len(lines) and self.part.frames[lines[after].frame].caller in rows:
            rows.add(after)
            after += 1
        return range(at, after)

    def turns_before(self, at: int, head: Head) -> int:
        """How many turns a loop had before its head, at this line, ran this time."""
        rows = self.rows[self.part.lines[at].frame]
        position = bisect_left(rows, at)
        waiting: list[int] = []
        while position >= 0 and rows[position] not in self._turns:
            waiting.append(rows[position])
            position = self._head_before(rows, position, head)
        turns = self._turns[rows[position]] if position >= 0 else -1
        for row in reversed(waiting):
            turns += 1
            self._turns[row] = turns
        return self._turns[at]

    def _head_before(self, rows: list[int], position: int, head: Head) -> int:
        """Where among the lines of a call the turn before began; -1 in the first turn."""
        for earlier in range(position - 1, -1, -1):
            line = self.part.lines[rows[earlier]].location.line
            if line == head.whole.start:
                return earlier
            if line not in head.whole:
                break
        return -1


def facts_of(part: Part) -> PartFacts:
    """The facts of a part; those of the last few parts are remembered."""
    return _facts(SamePart(part))


@lru_cache(maxsize=16)
def _facts(same: SamePart) -> PartFacts:
    return PartFacts(same.part)

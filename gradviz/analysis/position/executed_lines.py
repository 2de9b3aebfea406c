"""Looks up which recorded lines of a stage have run, and the local variables at a place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from gradviz.analysis.position.stage_cache import get_or_create
from gradviz.analysis.position.stage_order import stage_order
from gradviz.model.inside import ExecutedLine, StageRecord
from gradviz.model.item import Item
from gradviz.model.source import Location

LineKey = tuple[int | None, int]
"""A line of a source: the source's number and the line number."""


class ExecutedLines:
    """Lookups over the recorded lines of a part, each computed once.

    Create it with `executed_lines_of`.
    """

    def __init__(self, part: StageRecord) -> None:
        self.part = part

    @cached_property
    def by_row(self) -> dict[LineKey, list[int]]:
        """Positions of the recorded lines at each source line, ascending."""
        found: dict[LineKey, list[int]] = {}
        for at, line in enumerate(self.part.lines):
            found.setdefault(_row(line), []).append(at)
        return found

    @cached_property
    def steps_by_frame(self) -> dict[tuple[int, LineKey], list[int]]:
        """The same as `by_row`, separately for each call of a function."""
        found: dict[tuple[int, LineKey], list[int]] = {}
        for at, line in enumerate(self.part.lines):
            found.setdefault((line.frame, _row(line)), []).append(at)
        return found

    @cached_property
    def setters(self) -> dict[tuple[int, LineKey], list[int]]:
        """The entries of `steps_by_frame` that set, deleted or returned something."""
        lines = self.part.lines
        return {
            key: [at for at in found if _sets(lines[at])]
            for key, found in self.steps_by_frame.items()
        }

    @cached_property
    def functions(self) -> frozenset[Location]:
        """Locations of the definitions of the called functions."""
        return frozenset([frame.function for frame in self.part.frames])

    @cached_property
    def variables(self) -> dict[int, dict[str, list[tuple[int, Item | None]]]]:
        """The values of each variable in each call, with the setting lines; None means deleted."""
        found: dict[int, dict[str, list[tuple[int, Item | None]]]] = {}
        for at, frame in enumerate(self.part.frames):
            found[at] = {item.name: [(-1, item)] for item in frame.arguments}
        for at, line in enumerate(self.part.lines):
            known = found[line.frame]
            for item in line.changes:
                known.setdefault(item.name, []).append((at, item))
            for name in line.removed:
                known.setdefault(name, []).append((at, None))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Local:
    """A local variable at a place.

    Attributes:
        item: Its name and value.
        fresh: Whether the line at this place set it.
    """

    item: Item
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExecutionLimit:
    """A part executed up to a place; lines still running there have not changed anything yet.

    Attributes:
        ran: The lookups of the part.
        line: The line at the place; None for the whole part or before its start.
        bound: The last line that has started; -1 if none has.
        running: Positions of the lines that have not finished.
    """

    ran: ExecutedLines
    line: int | None
    bound: int
    running: frozenset[int]

    @property
    def frame(self) -> int | None:
        """The function call that contains the place; otherwise the method called by torch."""
        part = self.ran.part
        if self.line is not None:
            return part.lines[self.line].frame
        return 0 if part.frames and self.bound >= 0 else None

    def last(self, row: LineKey) -> int | None:
        """Return the last run of a source line so far; in a running function, only in its call."""
        found = self._positions(row)
        at = bisect_right(found, self.bound)
        return found[at - 1] if at else None

    def times(self, row: LineKey) -> int:
        """Return how often a source line has run so far."""
        return bisect_right(self._positions(row), self.bound)

    def first(self, row: LineKey) -> int | None:
        """Return the first run of a source line in the whole part."""
        found = self.ran.by_row.get(row)
        return found[0] if found else None

    def adjacent_run(self, row: LineKey, by: int) -> int | None:
        """Return the next run of a source line after the place (``by`` 1), or the previous (-1)."""
        found = self.ran.by_row.get(row, [])
        if by > 0:
            at = bisect_right(found, self.bound)
            return found[at] if at < len(found) else None
        line_index = self.bound if self.line is None else self.line - 1
        at = bisect_right(found, line_index)
        return found[at - 1] if at else None

    def setter(self, row: LineKey) -> int | None:
        """Return the last finished run of a source line that set, deleted or returned something."""
        at = self.last(row)
        if at is None:
            return None
        key = self.ran.part.lines[at].frame, row
        setters = self.ran.setters[key]
        place = bisect_right(setters, at) - 1
        while place >= 0 and setters[place] in self.running:
            place -= 1
        return setters[place] if place >= 0 else None

    def locals(self, frame: int) -> tuple[Local, ...]:
        """Return the local variables of a call, in the order in which they were first set."""
        found: list[Local] = []
        for values in self.ran.variables[frame].values():
            at = bisect_right(values, self.bound, key=itemgetter(0)) - 1
            while at >= 0 and values[at][0] in self.running:
                at -= 1
            item = values[at][1] if at >= 0 else None
            if item is not None:
                found.append(Local(item=item, fresh=values[at][0] == self.line))
        return tuple(found)

    def stack(self) -> tuple[int, ...]:
        """Return the call stack, from the method called by torch inward."""
        part, frame = self.ran.part, self.frame
        found: list[int] = []
        while frame is not None:
            found.append(frame)
            caller = part.frames[frame].caller
            frame = None if caller is None else part.lines[caller].frame
        return tuple(reversed(found))

    def _positions(self, row: LineKey) -> Sequence[int]:
        found = self.ran.by_row.get(row, [])
        if not found or self.line is None:
            return found
        part = self.ran.part
        frame = part.lines[self.line].frame
        own = part.frames[frame].function
        theirs = part.frames[part.lines[found[0]].frame].function
        return self.ran.steps_by_frame.get((frame, row), []) if own == theirs else found


def unlimited_execution(part: StageRecord) -> ExecutionLimit:
    """Return the execution of a whole part."""
    return ExecutionLimit(
        ran=executed_lines_of(part), line=None, bound=len(part.lines), running=frozenset()
    )


def no_execution(part: StageRecord) -> ExecutionLimit:
    """Return the execution of a part that has not started."""
    return ExecutionLimit(ran=executed_lines_of(part), line=None, bound=-1, running=frozenset())


def execution_up_to(part: StageRecord, line: int, *, over: bool) -> ExecutionLimit:
    """Return the execution of a part up to a line.

    Args:
        part: The part that contains the line.
        line: Its position.
        over: Whether the line has finished, including its calls, or is still running.
    """
    running = set() if over else {line}
    caller = part.frames[part.lines[line].frame].caller
    while caller is not None:
        running.add(caller)
        caller = part.frames[part.lines[caller].frame].caller
    bound = line
    if over:
        after = stage_order(part).adjacent_line(line, 1)
        bound = (len(part.lines) if after is None else after) - 1
    return ExecutionLimit(
        ran=executed_lines_of(part), line=line, bound=bound, running=frozenset(running)
    )


def _sets(line: ExecutedLine) -> bool:
    return bool(line.changes or line.removed or line.result is not None)


def _row(line: ExecutedLine) -> LineKey:
    return line.location.source, line.location.line


def executed_lines_of(part: StageRecord) -> ExecutedLines:
    """Return the lookups of a part; those of the last few parts are cached."""
    return get_or_create(ExecutedLines, part)

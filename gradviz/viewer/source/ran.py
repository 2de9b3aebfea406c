"""Which lines of a stage have run up to a place in it, and what its local variables were there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter

from gradviz.model.inside import Line, Part
from gradviz.model.item import Item
from gradviz.model.part_order import order_of
from gradviz.model.source import Location

Row = tuple[int | None, int]
"""Number of a source, and of a line of it."""


class Ran:
    """The lines of a part by where they stand, each found out once. Make it with `ran_of`."""

    def __init__(self, part: Part) -> None:
        self.part = part

    @cached_property
    def by_row(self) -> dict[Row, list[int]]:
        """Positions of the lines at each row, ascending."""
        found: dict[Row, list[int]] = {}
        for at, line in enumerate(self.part.lines):
            found.setdefault(_row(line), []).append(at)
        return found

    @cached_property
    def by_frame(self) -> dict[tuple[int, Row], list[int]]:
        """The same for each call of a function by itself."""
        found: dict[tuple[int, Row], list[int]] = {}
        for at, line in enumerate(self.part.lines):
            found.setdefault((line.frame, _row(line)), []).append(at)
        return found

    @cached_property
    def setters(self) -> dict[tuple[int, Row], list[int]]:
        """Of those, the ones that set, deleted or returned something."""
        lines = self.part.lines
        return {
            key: [at for at in found if _sets(lines[at])] for key, found in self.by_frame.items()
        }

    @cached_property
    def functions(self) -> frozenset[Location]:
        """Where the functions that were called are defined."""
        return frozenset([frame.function for frame in self.part.frames])

    @cached_property
    def variables(self) -> dict[int, dict[str, list[tuple[int, Item | None]]]]:
        """Of each call, what each of its variables was set to and by which line; None: deleted."""
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
        item: Its value.
        fresh: Whether the line at this place has set it.
    """

    item: Item
    fresh: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reach:
    """A part up to a place in it: a line that still runs there has changed nothing yet.

    Attributes:
        ran: The part.
        line: The line at the place; None where the place is the whole part, or before it.
        bound: The last line that began by then; -1 where none has.
        running: Positions of the lines that are not over at the place.
    """

    ran: Ran
    line: int | None
    bound: int
    running: frozenset[int]

    @property
    def frame(self) -> int | None:
        """The call of a function in which the place is; else the method that torch called."""
        part = self.ran.part
        if self.line is not None:
            return part.lines[self.line].frame
        return 0 if part.frames and self.bound >= 0 else None

    def last(self, row: Row) -> int | None:
        """The line at a row that ran last, up to here; of a function that runs, in its call."""
        found = self._positions(row)
        at = bisect_right(found, self.bound)
        return found[at - 1] if at else None

    def times(self, row: Row) -> int:
        """How often the line at a row has run up to here."""
        return bisect_right(self._positions(row), self.bound)

    def first(self, row: Row) -> int | None:
        """The line at a row that runs first in the whole part."""
        found = self.ran.by_row.get(row)
        return found[0] if found else None

    def beside(self, row: Row, by: int) -> int | None:
        """The line at a row that runs next after the place (``by`` 1), or ran before it (-1)."""
        found = self.ran.by_row.get(row, [])
        if by > 0:
            at = bisect_right(found, self.bound)
            return found[at] if at < len(found) else None
        here = self.bound if self.line is None else self.line - 1
        at = bisect_right(found, here)
        return found[at - 1] if at else None

    def setter(self, row: Row) -> int | None:
        """The last line at a row that was over by now and left something behind."""
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
        """The local variables of a call, in the order in which they were first set."""
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
        """The calls that are not over, from the method that torch called inwards."""
        part, frame = self.ran.part, self.frame
        found: list[int] = []
        while frame is not None:
            found.append(frame)
            caller = part.frames[frame].caller
            frame = None if caller is None else part.lines[caller].frame
        return tuple(reversed(found))

    def _positions(self, row: Row) -> Sequence[int]:
        found = self.ran.by_row.get(row, [])
        if not found or self.line is None:
            return found
        part = self.ran.part
        frame = part.lines[self.line].frame
        own = part.frames[frame].function
        theirs = part.frames[part.lines[found[0]].frame].function
        return self.ran.by_frame.get((frame, row), []) if own == theirs else found


def reach_all(part: Part) -> Reach:
    """A part from its first line to its last."""
    return Reach(ran=ran_of(part), line=None, bound=len(part.lines), running=frozenset())


def reach_none(part: Part) -> Reach:
    """A part of which nothing has run yet."""
    return Reach(ran=ran_of(part), line=None, bound=-1, running=frozenset())


def reach_to(part: Part, line: int, *, over: bool) -> Reach:
    """A part up to a line.

    Args:
        part: Where the line is.
        line: Its position.
        over: Whether it has run, with all that it called, or is still running.
    """
    running = set() if over else {line}
    caller = part.frames[part.lines[line].frame].caller
    while caller is not None:
        running.add(caller)
        caller = part.frames[part.lines[caller].frame].caller
    bound = line
    if over:
        after = order_of(part).line_beside(line, 1)
        bound = (len(part.lines) if after is None else after) - 1
    return Reach(ran=ran_of(part), line=line, bound=bound, running=frozenset(running))


def _sets(line: Line) -> bool:
    return bool(line.changes or line.removed or line.result is not None)


def _row(line: Line) -> Row:
    return line.location.source, line.location.line


class _Same:
    """A part as a key: by identity, since to compare all of its records would take long."""

    __slots__ = ("part",)

    def __init__(self, part: Part) -> None:
        self.part = part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.part is self.part

    def __hash__(self) -> int:
        return id(self.part)


def ran_of(part: Part) -> Ran:
    """What is known of a part; that of the last few parts is remembered."""
    return _ran(_Same(part))


@lru_cache(maxsize=16)
def _ran(same: _Same) -> Ran:
    return Ran(same.part)

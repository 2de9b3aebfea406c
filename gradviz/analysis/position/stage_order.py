"""The order in which stepping visits the lines and ops of one stage."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from gradviz.analysis.position.stage_cache import get_or_create
from gradviz.model.inside import StageRecord

StagePoint = tuple[int | None, int | None]
"""Indices of a line and of an op; None stands for the whole line or the whole stage."""


class StageOrder:
    """Cached orders of the lines and ops of a part, created by `stage_order`."""

    def __init__(self, part: StageRecord) -> None:
        self.part = part

    @cached_property
    def depths(self) -> list[int]:
        """Call depth of each line: 0 in the method that torch called."""
        depths: list[int] = []
        for line in self.part.lines:
            caller = self.part.frames[line.frame].caller
            depths.append(0 if caller is None else depths[caller] + 1)
        return depths

    @cached_property
    def outermost(self) -> list[StagePoint]:
        """The lines of the method that torch called, without those of functions they call."""
        return [(line, None) for line, depth in enumerate(self.depths) if depth == 0]

    @cached_property
    def finest(self) -> list[StagePoint]:
        """All ops, and lines that contain nothing finer, ordered by start time."""
        part = self.part
        busy = {op.line for op in part.ops} | {
            part.frames[line.frame].caller for line in part.lines
        }
        idle = [line for line in range(len(part.lines)) if line not in busy]
        return self._in_time(idle, range(len(part.ops)))

    @cached_property
    def everything(self) -> list[StagePoint]:
        """All lines and ops, ordered by start time; a line comes before what it contains."""
        return self._in_time(range(len(self.part.lines)), range(len(self.part.ops)))

    def _in_time(self, lines: Iterable[int], ops: Iterable[int]) -> list[StagePoint]:
        """The given lines and ops, ordered by start time."""
        part = self.part
        found: list[tuple[int, int, int, StagePoint]] = [
            (part.lines[line].started_ns, line, -1, (line, None)) for line in lines
        ]
        for op in ops:
            line = part.ops[op].line
            place = -1 if line is None else line
            found.append((part.ops[op].started_ns, place, op, (line, op)))
        # Without the point, whose None cannot be compared with a number.
        return [point for *_, point in sorted(found, key=lambda each: each[:3])]

    @cached_property
    def position(self) -> dict[StagePoint, int]:
        """Index of each entry of `finest`."""
        return {point: at for at, point in enumerate(self.finest)}

    def outermost_caller(self, line: int) -> int:
        """The enclosing line in the method that torch called; the line itself if it is one."""
        while (caller := self.part.frames[self.part.lines[line].frame].caller) is not None:
            line = caller
        return line

    def adjacent_line(self, line: int, by: int) -> int | None:
        """The next (``by`` 1) or previous (-1) line, without stepping into calls."""
        most = self.depths[line]
        line += by
        while 0 <= line < len(self.depths):
            if self.depths[line] <= most:
                return line
            line += by
        return None

    def adjacent_point(self, point: StagePoint, by: int) -> StagePoint | None:
        """The next (``by`` 1) or previous (-1) entry of `finest`; None beyond the ends."""
        at = self.position[point] + by
        return self.finest[at] if 0 <= at < len(self.finest) else None

    def inside(self, line: int | None) -> list[StagePoint]:
        """Direct children of a line, or of the stage for None, ordered by start time."""
        part = self.part
        lines = [at for at, each in enumerate(part.lines) if part.frames[each.frame].caller == line]
        return self._in_time(lines, [at for at, op in enumerate(part.ops) if op.line == line])


def stage_order(part: StageRecord) -> StageOrder:
    """The orders of a part; those of the last few parts are cached."""
    return get_or_create(StageOrder, part)

"""In which order a walk comes upon the lines and ops of one stage."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

from gradviz.model.inside import Part

Spot = tuple[int | None, int | None]
"""Positions of a line and of an op; None for the line, or the stage, as a whole."""


class PartOrder:
    """The lines and ops of a part, each found out once. Make it with `order_of`."""

    def __init__(self, part: Part) -> None:
        self.part = part

    @cached_property
    def depths(self) -> list[int]:
        """Of each line, how many calls of the user's functions it is below what torch called."""
        depths: list[int] = []
        for line in self.part.lines:
            caller = self.part.frames[line.frame].caller
            depths.append(0 if caller is None else depths[caller] + 1)
        return depths

    @cached_property
    def outermost(self) -> list[Spot]:
        """The lines of the method that torch called, without those of functions they call."""
        return [(line, None) for line, depth in enumerate(self.depths) if depth == 0]

    @cached_property
    def finest(self) -> list[Spot]:
        """All ops, and the lines in which there is nothing finer, as they began."""
        part = self.part
        busy = {op.line for op in part.ops} | {
            part.frames[line.frame].caller for line in part.lines
        }
        idle = [line for line in range(len(part.lines)) if line not in busy]
        return self._in_time(idle, range(len(part.ops)))

    @cached_property
    def everything(self) -> list[Spot]:
        """All lines and all ops, as they began: each comes after the line that it lies in."""
        return self._in_time(range(len(self.part.lines)), range(len(self.part.ops)))

    def _in_time(self, lines: Iterable[int], ops: Iterable[int]) -> list[Spot]:
        """Lines and ops as they began."""
        part = self.part
        found: list[tuple[int, int, int, Spot]] = [
            (part.lines[line].started_ns, line, -1, (line, None)) for line in lines
        ]
        for op in ops:
            line = part.ops[op].line
            place = -1 if line is None else line
            found.append((part.ops[op].started_ns, place, op, (line, op)))
        return [spot for *_, spot in sorted(found, key=lambda each: each[:3])]

    @cached_property
    def position(self) -> dict[Spot, int]:
        """Where each of `finest` stands in it."""
        return {spot: at for at, spot in enumerate(self.finest)}

    def caller_at_top(self, line: int) -> int:
        """The line of the method that torch called in which a line ran; itself if it is one."""
        while (caller := self.part.frames[self.part.lines[line].frame].caller) is not None:
            line = caller
        return line

    def line_beside(self, line: int, by: int) -> int | None:
        """The nearest line after (``by`` 1) or before (-1) one, leaving out what those call."""
        most = self.depths[line]
        line += by
        while 0 <= line < len(self.depths):
            if self.depths[line] <= most:
                return line
            line += by
        return None

    def spot_beside(self, spot: Spot, by: int) -> Spot | None:
        """The one of `finest` after (``by`` 1) or before (-1) another; None beyond the ends."""
        at = self.position[spot] + by
        return self.finest[at] if 0 <= at < len(self.finest) else None

    def inside(self, line: int | None) -> list[Spot]:
        """What lies directly in a line, or in the stage where that is None, as it began."""
        part = self.part
        lines = [at for at, each in enumerate(part.lines) if part.frames[each.frame].caller == line]
        return self._in_time(lines, [at for at, op in enumerate(part.ops) if op.line == line])


class SamePart:
    """A part as a key: by identity, since to compare all of its records would take long."""

    __slots__ = ("part",)

    def __init__(self, part: Part) -> None:
        self.part = part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SamePart) and other.part is self.part

    def __hash__(self) -> int:
        return id(self.part)


def order_of(part: Part) -> PartOrder:
    """The order of a part; that of the last few parts is remembered."""
    return _order(SamePart(part))


@lru_cache(maxsize=16)
def _order(same: SamePart) -> PartOrder:
    return PartOrder(same.part)

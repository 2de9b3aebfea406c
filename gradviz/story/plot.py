"""Axes of a plot, and lines in it that are cut at its frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from gradviz.catalogue.numbers import number_text, without_noise
from gradviz.drawing.display.parts import Outline, Pen, Shape, polyline
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.story.blocks import text_block, text_width
from gradviz.story.frame import LEAST_TEXT, Drawn, at

_BESIDE, _BELOW = 12.0, 6.0
"""Between an axis and its numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot.

    Attributes:
        key: Names it in all pictures of a story.
        area: Where its frame is.
        across: Range of the horizontal axis.
        up: Range of the vertical axis.
        text: Writes a number at an axis.
    """

    key: str
    area: Rect
    across: tuple[float, float]
    up: tuple[float, float]
    text: Callable[[float], str] = number_text

    def place(self, point: Point) -> Point:
        """Where a point is in the picture."""
        right = _share(point[0], self.across)
        above = _share(point[1], self.up)
        area = self.area
        return area.x + area.width * right, area.y + area.height * (1 - above)

    def axes(self, beside: Iterable[float], below: Iterable[float] = ()) -> Iterator[Drawn]:
        """The frame, with numbers at both axes."""
        area, bottom = self.area, self.area.y + self.area.height
        frame = polyline((area.x, area.y), (area.x, bottom), (area.x + area.width, bottom))
        shape = Shape(frame, pen=Pen("border_strong", 2.0))
        yield Drawn(key=f"{self.key}:axes", parts=(shape,))
        for value in beside:
            y = self.place((self.across[0], value))[1]
            key = f"{self.key}:up:{value}"
            label = text_block(self.text(value), LEAST_TEXT, key=key, ink="text_muted")
            yield from at((area.x - _BESIDE - label.width, y - label.height / 2), label.drawn)
        for value in below:
            x = self.place((value, self.up[0]))[0]
            key = f"{self.key}:across:{value}"
            label = text_block(self.text(value), LEAST_TEXT, key=key, ink="text_muted")
            yield from at((x - label.width / 2, bottom + _BELOW), label.drawn)

    def line(self, points: Iterable[Point], pen: Pen) -> Shape | None:
        """A line through points, cut at the frame, with a gap where a value is not finite."""
        commands: list[tuple[str, tuple[Point, ...]]] = []
        end: Point | None = None
        for segment in pairwise(points):
            inner = self._inside(*segment)
            if inner is None:
                continue
            start, stop = map(self.place, inner)
            if start != end:
                commands.append(("M", (start,)))
            commands.append(("L", (stop,)))
            end = stop
        return Shape(Outline(tuple(commands)), pen=pen) if commands else None

    def shows(self, point: Point) -> bool:
        """Whether a point is within the frame."""
        low, high = self.up
        return math.isfinite(point[1]) and low <= point[1] <= high

    def _inside(self, start: Point, stop: Point) -> tuple[Point, Point] | None:
        """The part of a segment within the vertical range; None if there is none."""
        if not (math.isfinite(start[1]) and math.isfinite(stop[1])):
            return None
        low, high = self.up
        least, most = sorted((start[1], stop[1]))
        # Between two samples beyond both edges is a pole rather than a line.
        if most < low or least > high or (least < low and most > high):
            return None
        return _cut(start, stop, low, high), _cut(stop, start, low, high)


def _cut(point: Point, other: Point, low: float, high: float) -> Point:
    """A point, moved along its segment to the nearer edge of a range."""
    edge = min(max(point[1], low), high)
    if edge == point[1]:
        return point
    share = (edge - point[1]) / (other[1] - point[1])
    return point[0] + (other[0] - point[0]) * share, edge


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return (value - low) / (high - low) if high > low else 0.5


def round_numbers(ends: tuple[float, float], most: int) -> list[float]:
    """At most so many round numbers at equal distances within a range."""
    low, high = ends
    if not high > low:
        return []
    least = (high - low) / most
    decade = 10.0 ** math.floor(math.log10(least))
    step = next(each * decade for each in (1, 2, 5, 10) if each * decade >= least)
    first = math.ceil(low / step)
    # Otherwise 3 * 0.1 would be 0.30000000000000004.
    return [without_noise(k * step).real for k in range(first, math.floor(high / step) + 1)]


def numbers_width(texts: Iterable[str]) -> float:
    """Width that numbers beside an axis need."""
    widths = (text_width(each, LEAST_TEXT) for each in texts)
    return max(widths, default=0.0) + _BESIDE

"""Plots above each other over one axis, with the names of their lines and a text below."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gradviz.catalogue.numbers import number_text
from gradviz.drawing.display.parts import Pen, Shape, TextRun, polyline
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.story.blocks import Block, paragraph, text_block, text_width
from gradviz.story.frame import LEAST_TEXT, Drawn, at
from gradviz.story.plot import Plot, numbers_width, round_numbers

_LABEL, _SAMPLE, _LINE = 22.0, 40.0, 32.0
"""Size of the name of a line, length of the piece of it before its name, and distance of names."""

_GAP, _NUMBERS, _EDGE, _LEAST_WIDTH, _LEAST_HEIGHT = 18.0, 38.0, 20.0, 360.0, 180.0
_HERE, _POLE = Pen("text_muted", 1.5, (2.0, 5.0)), Pen("error", 2.0, (12.0, 8.0))


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A line of a plot with its name."""

    key: str
    points: Sequence[Point]
    pen: Pen
    name: str

    @property
    def name_width(self) -> float:
        """Width of its name after a piece of it."""
        return _SAMPLE + text_width(self.name, _LABEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedPlot:
    """A plot before it has a place.

    Attributes:
        key: Names it in all pictures of a story.
        lines: Its lines, the lowest first.
        up: Range of its vertical axis.
        share: Its share of the height of all plots.
    """

    key: str
    lines: Sequence[NamedLine]
    up: tuple[float, float]
    share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotStack:
    """Plots over one axis.

    Attributes:
        key: Names it in all pictures of a story.
        plots: From the uppermost one on.
        across: Range of their horizontal axis.
        below: Numbers at this axis.
        here: A place on it.
        here_text: Name of that place, above the plots.
        here_element: Tensor and row-major position of the element that it is; None if it is none.
        facts: A text below the plots.
        marks: Draws what is above the lines of a plot.
        poles: Places of dashed lines through all plots.
        is_logarithmic: Whether both axes show decimal logarithms.
    """

    key: str
    plots: Sequence[StackedPlot]
    across: tuple[float, float]
    below: Sequence[float]
    here: float
    here_text: str
    facts: str
    marks: Callable[[Plot], Iterable[Drawn]]
    poles: Sequence[float] = ()
    is_logarithmic: bool = False
    here_element: tuple[int, int] | None = None

    def block(self, room: tuple[float, float]) -> Block:
        """Draw all of it as wide and high as a room, unless that is too small."""
        facts = paragraph(
            self.facts, room[0], LEAST_TEXT, key=f"{self.key}:facts", ink="text_muted"
        )
        numbers = [round_numbers(each.up, 4) for each in self.plots]
        if self.is_logarithmic:
            numbers = [[value for value in each if value.is_integer()] for each in numbers]
        left = max(numbers_width(map(self._text, each)) for each in numbers)
        lines = [line for each in self.plots for line in each.lines]
        names = max(each.name_width for each in lines)
        # In a narrow room, the names are below the plots.
        is_narrow = room[0] - left - names < _LEAST_WIDTH
        right = _EDGE if is_narrow else names + _EDGE
        legend = _in_rows(lines, room[0]) if is_narrow else []
        below = legend[-1][1] + _LINE if legend else 0.0
        width = max(_LEAST_WIDTH, room[0] - left - right)
        gaps = _GAP * (len(self.plots) - 1)
        around = _LINE + gaps + _NUMBERS + below + facts.height
        height = max(_LEAST_HEIGHT, room[1] - around)
        drawn: list[Drawn] = []
        top = _LINE
        for each, beside in zip(self.plots, numbers, strict=True):
            area = Rect(x=left, y=top, width=width, height=height * each.share)
            text = self._text
            plot = Plot(key=each.key, area=area, across=self.across, up=each.up, text=text)
            drawn += plot.axes(beside, self.below if each is self.plots[-1] else ())
            drawn += self._drawn(plot, each.lines)
            if not is_narrow:
                drawn += _names(each.lines, _beside(plot, each.lines))
            top += area.height + _GAP
        top += _NUMBERS - _GAP
        drawn += at((0, top), _names(lines, legend) if is_narrow else ())
        here = text_block(self.here_text, _LABEL, key=f"{self.key}:here", style="label")
        x = left + width * (self.here - self.across[0]) / (self.across[1] - self.across[0])
        tensor, position = self.here_element or (None, 0)
        named = [replace(each, tensor=tensor, position=position) for each in here.drawn]
        drawn += at((max(0.0, x - here.width / 2), 0), named)
        drawn += at((0, top + below), facts.drawn)
        high = top + below + facts.height
        return Block(width=left + width + right, height=high, drawn=tuple(drawn), middle=high / 2)

    def _text(self, value: float) -> str:
        return number_text(10.0**value if self.is_logarithmic else value)

    def _drawn(self, plot: Plot, lines: Sequence[NamedLine]) -> Iterator[Drawn]:
        """What is in the frame of a plot, the lowest first."""
        for key, x, pen in (
            ("here", self.here, _HERE),
            *((f"pole{number}", each, _POLE) for number, each in enumerate(self.poles)),
        ):
            ends = (plot.place((x, each)) for each in plot.up)
            yield Drawn(key=f"{plot.key}:{key}", parts=(Shape(polyline(*ends), pen=pen),))
        for each in lines:
            shape = plot.line(each.points, each.pen)
            if shape is not None:
                yield Drawn(key=each.key, parts=(shape,))
        yield from self.marks(plot)


def spoken_plot_text(picture: Block) -> str:
    """What plots say, without the numbers of their axes."""
    runs = [
        (each.key, part.text)
        for each in picture.drawn
        for part in each.parts
        if isinstance(part, TextRun)
    ]
    names = [text for key, text in runs if key.endswith((":here", ":name"))]
    facts = " ".join(text for key, text in runs if ":facts" in key)
    return ". ".join((*names, facts))


def _beside(plot: Plot, lines: Sequence[NamedLine]) -> list[Point]:
    """Places of the names to the right of a plot, each as near to the end of its line as it can."""
    area = plot.area
    top, bottom = area.y, area.y + area.height
    heights = {}
    for number, each in enumerate(lines):
        finite = [point for point in each.points if math.isfinite(point[1])]
        y = plot.place(finite[-1])[1] if finite else bottom
        heights[number] = min(max(y, top), bottom) - _LINE / 2
    order = sorted(heights, key=lambda number: heights[number])
    last = -math.inf
    for number in order:
        heights[number] = last = max(heights[number], last + _LINE)
    last = bottom + _LINE / 2
    for number in reversed(order):
        heights[number] = last = min(heights[number], last - _LINE)
    return [(area.x + area.width + 8, heights[number]) for number in range(len(lines))]


def _in_rows(lines: Sequence[NamedLine], width: float) -> list[Point]:
    """Places of the names in rows of a width."""
    x = y = 0.0
    places = []
    for each in lines:
        if x and x + each.name_width > width:
            x, y = 0.0, y + _LINE
        places.append((x, y))
        x += each.name_width + _EDGE
    return places


def _names(lines: Sequence[NamedLine], places: Sequence[Point]) -> Iterator[Drawn]:
    """The names of lines, each after a piece of its line."""
    for each, (x, y) in zip(lines, places, strict=True):
        text = text_block(each.name, _LABEL, key=f"{each.key}:name", ink=each.pen.ink)
        piece = polyline((0, text.middle), (_SAMPLE - 8, text.middle))
        parts = (Shape(piece, pen=each.pen),)
        yield Drawn(key=f"{each.key}:piece", parts=parts, x=x, y=y)
        yield from at((x + _SAMPLE, y), text.drawn)

"""Plots above each other over one axis, with the names of their lines and a text below."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.text_styles import BASELINE, TextStyle
from gradviz.drawing.display.parts import Pen, Shape, TextRun, polyline
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.story.blocks import Block, paragraph, row, text_block
from gradviz.story.frame import LEAST_TEXT, MAIN_NUMBER, Drawn, at
from gradviz.story.plot import Plot, numbers_width, round_numbers

_LABEL, _SAMPLE, _LINE = 22.0, 40.0, 32.0
"""Size of the name of a line, length of the piece of it before its name, and distance of names."""

_X_HEIGHT = 0.6
"""Height of small letters, as a share of the size."""

_GAP, _NUMBERS, _EDGE, _LEAST_WIDTH, _LEAST_HEIGHT = 18.0, 38.0, 20.0, 360.0, 180.0
_HERE, _POLE = Pen("text_muted", 1.5, (2.0, 5.0)), Pen("error", 2.0, (12.0, 8.0))


@dataclass(frozen=True)
class NamedLine:
    """A line of a plot with its name, in which a number may be large."""

    key: str
    points: Sequence[Point]
    pen: Pen
    name: str
    number: str = ""

    @cached_property
    def label(self) -> Block:
        """Its name, after a short piece of the line."""
        before, number, after = self.name, "", ""
        if self.number:
            before, number, after = self.name.rpartition(self.number)
        sizes: tuple[tuple[str, float, TextStyle], ...] = (
            (before, _LABEL, "line"),
            (number, MAIN_NUMBER, "title"),
            (after, _LABEL, "line"),
        )
        key, ink = f"{self.key}:name", self.pen.ink
        blocks = [
            text_block(text, size, key=f"{key}{place or ''}", style=style, ink=ink)
            for place, (text, size, style) in enumerate(each for each in sizes if each[0])
        ]
        # On one line.
        name = row([replace(each, middle=BASELINE * each.height) for each in blocks], 0)
        middle = name.middle - _X_HEIGHT * _LABEL / 2
        piece = Shape(polyline((0, middle), (_SAMPLE - 8, middle)), pen=self.pen)
        drawn = (Drawn(key=f"{self.key}:piece", parts=(piece,)), *at((_SAMPLE, 0), name.drawn))
        return Block(
            width=_SAMPLE + name.width,
            height=max(_LINE, name.height),
            drawn=drawn,
            middle=middle,
        )


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
        names = max((each.label.width for each in lines), default=0.0)
        # In a narrow room, the names are below the plots.
        is_narrow = room[0] - left - names < _LEAST_WIDTH
        right = _EDGE if is_narrow else names + _EDGE
        legend = _in_rows(lines, room[0]) if is_narrow else []
        below = legend[-1][1] + _highest(lines) if legend else 0.0
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
    names = [text for key, text in runs if key.endswith(":here")]
    for key, text in runs:
        if key.endswith(":name"):
            names.append(text)
        elif ":name" in key:
            # The rest of it.
            names[-1] += text
    facts = " ".join(text for key, text in runs if ":facts" in key)
    return ". ".join((*names, facts))


def _beside(plot: Plot, lines: Sequence[NamedLine]) -> list[Point]:
    """Places of the names to the right of a plot, each as near to the end of its line as it can."""
    area = plot.area
    top, bottom = area.y, area.y + area.height
    ends = []
    for each in lines:
        finite = [point for point in each.points if math.isfinite(point[1])]
        y = plot.place(finite[-1])[1] if finite else bottom
        ends.append(min(max(y, top), bottom))
    order = sorted(range(len(lines)), key=ends.__getitem__)
    heights = {number: ends[number] - lines[number].label.middle for number in order}
    last = -math.inf
    for number in order:
        heights[number] = max(heights[number], last)
        last = heights[number] + lines[number].label.height
    last = bottom + _LINE / 2
    for number in reversed(order):
        heights[number] = last = min(heights[number], last - lines[number].label.height)
    return [(area.x + area.width + 8, heights[number]) for number in range(len(lines))]


def _in_rows(lines: Sequence[NamedLine], width: float) -> list[Point]:
    """Places of the names in rows of a width."""
    x = y = 0.0
    places = []
    for each in lines:
        if x and x + each.label.width > width:
            x, y = 0.0, y + _highest(lines)
        places.append((x, y))
        x += each.label.width + _EDGE
    return places


def _highest(lines: Sequence[NamedLine]) -> float:
    return max(each.label.height for each in lines)


def _names(lines: Sequence[NamedLine], places: Sequence[Point]) -> Iterator[Drawn]:
    """The names of lines, each after a piece of its line."""
    for each, place in zip(lines, places, strict=True):
        yield from at(place, each.label.drawn)

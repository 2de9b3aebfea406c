"""A function along one input element, with its secant and tangent, above both derivatives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text, without_noise
from gradviz.drawing.cells.plane import subscript
from gradviz.drawing.display.parts import Pen, Shape, TextRun, circle, polyline
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.model.arrays import index_at
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.story.blocks import Block, paragraph, text_block, text_width
from gradviz.story.frame import LEAST_TEXT, Drawn, at
from gradviz.story.plot import Plot, numbers_width, round_numbers

_FUNCTION = Pen("text", 4.0, is_round=True)
_NUMERICAL = Pen("forward", 3.5, (20.0, 8.0))
_ANALYTICAL = Pen("backward", 3.5, (6.0, 6.0))
_HERE, _POLE = Pen("text_muted", 1.5, (2.0, 5.0)), Pen("error", 2.0, (12.0, 8.0))

_LABEL, _SAMPLE, _LINE = 22.0, 40.0, 32.0
"""Size of the name of a line, length of the piece of it before its name, and distance of names."""

_UPPER = 0.58
"""Share of the upper plot in the height of both."""

_FUNCTION_KEY = "curve:function"
_GAP, _NUMBERS, _EDGE, _LEAST_WIDTH, _LEAST_HEIGHT = 18.0, 38.0, 20.0, 360.0, 180.0
_HUGE = 1e300
"""Larger values have no place on an axis: their differences may overflow."""

_NOISE = 1e-6
"""Derivatives that differ by less are the same but for the noise of central differences."""

_MOST_POLES, _FAR = 4, 1e3
"""A single sample that is so many times the height of the plot away is a pole."""


@dataclass(frozen=True, slots=True)
class _NamedLine:
    """A line of a plot with its name."""

    key: str
    points: Sequence[Point]
    pen: Pen
    name: str

    @property
    def name_width(self) -> float:
        """Width of its name after a piece of it."""
        return _SAMPLE + text_width(self.name, _LABEL)


@dataclass(frozen=True, slots=True)
class _Half:
    """One of both plots before it has a place: its lines, and the range of its axis."""

    key: str
    lines: Sequence[_NamedLine]
    up: tuple[float, float]

    @property
    def numbers(self) -> list[float]:
        """The numbers beside its axis."""
        return round_numbers(self.up, 4)


def curve_block(
    curve: FunctionCurve, block: JacobianBlock, eps: float, room: tuple[float, float]
) -> Block:
    """Draw the samples of a function, as wide and high as the room, unless that is too small.

    Args:
        curve: The samples.
        block: The pair that they belong to.
        eps: Step of the secant and of the numerical derivative.
        room: Width and height of the room.
    """
    across = curve.points[0], curve.points[-1]
    slopes = *curve.numerical, *curve.analytical
    function = _Half(_FUNCTION_KEY, _upper(curve, block, eps), _range(curve.values, across))
    derivative = _Half("curve:slopes", _lower(curve), _range(slopes, across, _NOISE))
    halves = function, derivative
    poles = [*islice(_poles(curve, function.up, derivative.up), _MOST_POLES)]
    facts = paragraph(
        _facts(curve, block, poles, (function.up, derivative.up)),
        room[0],
        LEAST_TEXT,
        key="curve:facts",
        ink="text_muted",
    )
    left = max(numbers_width(each.numbers) for each in halves)
    lines = *function.lines, *derivative.lines
    names = max(each.name_width for each in lines)
    # In a narrow room, the names are below the plots.
    is_narrow = room[0] - left - names < _LEAST_WIDTH
    right = _EDGE if is_narrow else names + _EDGE
    legend = _rows(lines, room[0]) if is_narrow else []
    below = legend[-1][1] + _LINE if legend else 0.0
    around = _LINE + _GAP + _NUMBERS + below + facts.height
    width = max(_LEAST_WIDTH, room[0] - left - right)
    height = max(_LEAST_HEIGHT, room[1] - around)
    drawn: list[Drawn] = []
    top = _LINE
    for half, share in zip(halves, (_UPPER, 1 - _UPPER), strict=True):
        area = Rect(x=left, y=top, width=width, height=height * share)
        plot = Plot(key=half.key, area=area, across=across, up=half.up)
        numbers = round_numbers(across, 8) if half is derivative else ()
        drawn += (*plot.axes(half.numbers, numbers), *_drawn(plot, half, curve, poles))
        if not is_narrow:
            drawn += _names(half.lines, _beside(plot, half.lines))
        top += area.height + _GAP
    top += _NUMBERS - _GAP
    drawn += at((0, top), _names(lines, legend) if is_narrow else ())
    here = text_block(_here(curve, block), _LABEL, key="curve:here", style="label")
    x = left + width * (curve.points[curve.at] - across[0]) / (across[1] - across[0])
    drawn += at((max(0.0, x - here.width / 2), 0), here.drawn)
    drawn += at((0, top + below), facts.drawn)
    high = top + below + facts.height
    return Block(width=left + width + right, height=high, drawn=tuple(drawn), middle=high / 2)


def curve_words(picture: Block) -> str:
    """What the picture of a curve says, without the numbers of its axes."""
    is_said = ("curve:here", "curve:facts")
    return ". ".join(
        part.text
        for each in picture.drawn
        if each.key.startswith(is_said) or each.key.endswith(":name")
        for part in each.parts
        if isinstance(part, TextRun)
    )


def _drawn(
    plot: Plot, half: _Half, curve: FunctionCurve, poles: Sequence[float]
) -> Iterator[Drawn]:
    """What is in the frame of a plot, the lowest first."""
    yield from _uprights(plot, curve, poles)
    for each in half.lines:
        shape = plot.line(each.points, each.pen)
        if shape is not None:
            yield Drawn(key=each.key, parts=(shape,))
    yield from _dots(plot, curve)


def _upper(curve: FunctionCurve, block: JacobianBlock, eps: float) -> list[_NamedLine]:
    """The function, its secant and its tangent."""
    x, value = curve.points[curve.at], curve.values[curve.at]
    name = subscript(block.output_name, index_at(curve.column, block.output_shape))
    lines = [
        _NamedLine("curve:f", [*zip(curve.points, curve.values, strict=True)], _FUNCTION, name)
    ]
    for key, pen, slopes in (
        ("secant", _NUMERICAL, curve.numerical),
        ("tangent", _ANALYTICAL, curve.analytical),
    ):
        slope = slopes[curve.at]
        points = [
            (each, value + slope * (each - x)) for each in (curve.points[0], curve.points[-1])
        ]
        text = say(f"story.{key}", eps=number_text(eps), slope=number_text(without_noise(slope)))
        if math.isfinite(slope):
            lines.append(_NamedLine(f"curve:{key}", points, pen, text))
    return lines


def _lower(curve: FunctionCurve) -> list[_NamedLine]:
    """Both derivatives."""
    return [
        _NamedLine(
            f"curve:{key}", [*zip(curve.points, slopes, strict=True)], pen, say(f"story.{key}")
        )
        for key, pen, slopes in (
            ("numerical_slope", _NUMERICAL, curve.numerical),
            ("backward_slope", _ANALYTICAL, curve.analytical),
        )
    ]


def _here(curve: FunctionCurve, block: JacobianBlock) -> str:
    return f"{_input(curve, block)} = {number_text(curve.points[curve.at])}"


def _input(curve: FunctionCurve, block: JacobianBlock) -> str:
    return subscript(block.input_name, index_at(curve.row, block.input_shape))


def _facts(
    curve: FunctionCurve,
    block: JacobianBlock,
    poles: Sequence[float],
    ends: Sequence[tuple[float, float]],
) -> str:
    """What is drawn, and what is not."""
    facts = [
        say(
            "story.curve_samples",
            count=len(curve.points),
            input=_input(curve, block),
            low=number_text(without_noise(curve.points[0])),
            high=number_text(without_noise(curve.points[-1])),
        )
    ]
    if poles:
        names = ", ".join(number_text(without_noise(each, 4)) for each in poles)
        facts.append(say("story.curve_poles", places=names))
    lists = curve.values, curve.numerical, curve.analytical
    holes = {
        x
        for x, *found in zip(curve.points, *lists, strict=True)
        if not all(map(math.isfinite, found))
    }
    if holes - {*poles}:
        facts.append(say("story.curve_gaps"))
    (low, high), (least, most) = ends
    if any(not low <= each <= high for each in curve.values if math.isfinite(each)) or any(
        not least <= each <= most for each in chain(*lists[1:]) if math.isfinite(each)
    ):
        facts.append(say("story.curve_cut"))
    return " · ".join(facts)


def _range(
    values: Iterable[float], across: tuple[float, float], noise: float = 0.0
) -> tuple[float, float]:
    """The range of an axis, which few values far from all others don't enlarge, nor noise."""
    found = sorted(each for each in values if abs(each) < _HUGE)
    if not found:
        return 0.0, 1.0
    low, high = found[len(found) // 10], found[-1 - len(found) // 10]
    spread = high - low
    low, high = max(found[0], low - spread), min(found[-1], high + spread)
    if not spread:
        low, high = found[0], found[-1]
    edge = 0.08 * (high - low)
    if high - low <= noise * max(1.0, abs(low), abs(high)):
        # A constant has the scale of its input, so that a slope of 1 looks like one.
        edge = (across[1] - across[0]) / 2
    return low - edge, high + edge


def _poles(
    curve: FunctionCurve, upper: tuple[float, float], lower: tuple[float, float]
) -> Iterator[float]:
    """Where a single sample is not finite, or very far from all others."""

    def is_far(value: float, ends: tuple[float, float]) -> bool:
        low, high = ends
        return not abs(value - (low + high) / 2) < _FAR * (high - low)

    # A jump has a numerical derivative that is as large as eps is small, but no pole.
    both = zip(curve.values, curve.analytical, strict=True)
    far = [is_far(value, upper) or is_far(slope, lower) for value, slope in both]
    for k in range(1, len(far) - 1):
        if far[k] and not far[k - 1] and not far[k + 1]:
            yield curve.points[k]


def _uprights(plot: Plot, curve: FunctionCurve, poles: Sequence[float]) -> Iterator[Drawn]:
    """Lines through the check's own point and through the poles."""
    for key, x, pen in (
        ("here", curve.points[curve.at], _HERE),
        *((f"pole{number}", each, _POLE) for number, each in enumerate(poles)),
    ):
        ends = (plot.place((x, each)) for each in plot.up)
        yield Drawn(key=f"{plot.key}:{key}", parts=(Shape(polyline(*ends), pen=pen),))


def _dots(plot: Plot, curve: FunctionCurve) -> Iterator[Drawn]:
    """The check's own point on each line."""
    x = curve.points[curve.at]
    if plot.key == _FUNCTION_KEY:
        shapes = {"value": (curve.values, Shape(circle((0, 0), 8.0), "text", Pen("canvas", 2.0)))}
    else:
        # A ring around a dot, where both agree.
        shapes = {
            "numerical": (curve.numerical, Shape(circle((0, 0), 11.0), None, Pen("forward", 3.0))),
            "analytical": (curve.analytical, Shape(circle((0, 0), 6.0), "backward")),
        }
    for key, (values, shape) in shapes.items():
        if plot.shows(point := (x, values[curve.at])):
            right, down = plot.place(point)
            yield Drawn(key=f"{plot.key}:{key}", parts=(shape,), x=right, y=down)


def _beside(plot: Plot, lines: Sequence[_NamedLine]) -> list[Point]:
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


def _rows(lines: Sequence[_NamedLine], width: float) -> list[Point]:
    """Places of the names in rows of a width."""
    x = y = 0.0
    places = []
    for each in lines:
        if x and x + each.name_width > width:
            x, y = 0.0, y + _LINE
        places.append((x, y))
        x += each.name_width + _EDGE
    return places


def _names(lines: Sequence[_NamedLine], places: Sequence[Point]) -> Iterator[Drawn]:
    """The names of lines, each after a piece of its line."""
    for each, (x, y) in zip(lines, places, strict=True):
        text = text_block(each.name, _LABEL, key=f"{each.key}:name", ink=each.pen.ink)
        piece = polyline((0, text.middle), (_SAMPLE - 8, text.middle))
        parts = (Shape(piece, pen=each.pen),)
        yield Drawn(key=f"{each.key}:piece", parts=parts, x=x, y=y)
        yield from at((x + _SAMPLE, y), text.drawn)

"""A function along one input element, with its secant and tangent, above both derivatives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise

from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text, without_noise
from gradviz.drawing.cells.plane import subscript
from gradviz.drawing.display.parts import Pen, Shape, circle
from gradviz.drawing.geometry.rect import Point
from gradviz.model.arrays import index_at
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.story.blocks import Block
from gradviz.story.frame import Drawn
from gradviz.story.plot import Plot, round_numbers
from gradviz.story.plot_stack import NamedLine, PlotStack, StackedPlot

_FUNCTION = Pen("text", 4.0, is_round=True)
_NUMERICAL = Pen("forward", 3.5, (20.0, 8.0))
_ANALYTICAL = Pen("backward", 3.5, (6.0, 6.0))

_UPPER = 0.58
"""Share of the upper plot in the height of both."""

_FUNCTION_KEY = "curve:function"
_HUGE = 1e300
"""Larger values have no place on an axis: their differences may overflow."""

_NOISE = 1e-6
"""Derivatives that differ by less are the same but for the noise of central differences."""

_BESIDE, _USUAL = 5.0, 0.6
"""Samples that are closer, in units of eps and of the largest distance, are at a jump."""

_MOST_PLACES, _FAR = 4, 1e3
"""A single sample that is so many times the height of the plot away is a pole."""


def curve_block(
    curve: FunctionCurve,
    block: JacobianBlock,
    eps: float,
    room: tuple[float, float],
    tensor: int | None = None,
) -> Block:
    """Draw the samples of a function, as wide and high as the room, unless that is too small.

    Args:
        curve: The samples.
        block: The pair that they belong to.
        eps: Step of the secant and of the numerical derivative.
        room: Width and height of the room.
        tensor: Number of the input in its run, so that its element can be turned; None without one.
    """
    across = curve.points[0], curve.points[-1]
    slopes = *curve.numerical, *curve.analytical
    ends = _range(curve.values, across), _range(slopes, across, _NOISE)
    poles = [*islice(_poles(curve, *ends), _MOST_PLACES)]
    return PlotStack(
        key="curve",
        plots=(
            StackedPlot(
                key=_FUNCTION_KEY, lines=_upper(curve, block, eps), up=ends[0], share=_UPPER
            ),
            StackedPlot(key="curve:slopes", lines=_lower(curve, eps), up=ends[1], share=1 - _UPPER),
        ),
        across=across,
        below=round_numbers(across, 8),
        here=curve.points[curve.at],
        here_element=None if tensor is None else (tensor, curve.row),
        here_text=f"{_input(curve, block)} = {number_text(curve.points[curve.at])}",
        facts=_facts(curve, block, poles, _jumps(curve, eps, ends[0]), ends),
        marks=lambda plot: _dots(plot, curve),
        poles=poles,
    ).block(room)


def _upper(curve: FunctionCurve, block: JacobianBlock, eps: float) -> list[NamedLine]:
    """The function, its secant and its tangent."""
    x, value = curve.points[curve.at], curve.values[curve.at]
    name = subscript(block.output_name, index_at(curve.column, block.output_shape))
    lines = [NamedLine("curve:f", [*_pieces(curve, curve.values, eps)], _FUNCTION, name)]
    for key, pen, slopes in (
        ("secant", _NUMERICAL, curve.numerical),
        ("tangent", _ANALYTICAL, curve.analytical),
    ):
        slope = slopes[curve.at]
        # Through its own point: a line between two points beyond both edges would be a pole.
        points = [
            (each, value + slope * (each - x)) for each in (curve.points[0], x, curve.points[-1])
        ]
        number = number_text(without_noise(slope))
        text = say(f"story.{key}", eps=number_text(eps), slope=number)
        if math.isfinite(slope):
            lines.append(NamedLine(f"curve:{key}", points, pen, text, number))
    return lines


def _lower(curve: FunctionCurve, eps: float) -> list[NamedLine]:
    """Both derivatives."""
    return [
        NamedLine(f"curve:{key}", [*_pieces(curve, slopes, eps)], pen, say(f"story.{key}"))
        for key, pen, slopes in (
            ("numerical_slope", _NUMERICAL, curve.numerical),
            ("backward_slope", _ANALYTICAL, curve.analytical),
        )
    ]


def _pieces(curve: FunctionCurve, values: Sequence[float], eps: float) -> Iterator[Point]:
    """Samples, with a gap between both sides of a jump, which no line may bridge."""
    near, last = _near(curve, eps), -math.inf
    for point in zip(curve.points, values, strict=True):
        if point[0] - last < near:
            yield point[0], math.nan
        yield point
        last = point[0]


def _jumps(curve: FunctionCurve, eps: float, up: tuple[float, float]) -> list[float]:
    """Where the function itself jumps, and not only its slope, as exactly as can be seen."""
    near, least = _near(curve, eps), _NOISE * (up[1] - up[0]) + _BESIDE * eps
    samples = [*zip(curve.points, curve.values, strict=True)]
    digits = 3 - math.floor(math.log10(curve.points[-1] - curve.points[0]))
    places = (
        round((low + high) / 2, digits)
        for (low, first), (high, last) in pairwise(samples)
        if high - low < near and abs(last - first) > least
    )
    # A sample may be at the jump itself.
    return [*dict.fromkeys(places)]


def _near(curve: FunctionCurve, eps: float) -> float:
    """Distance of samples on both sides of a jump; all others are further apart."""
    apart = max((high - low for low, high in pairwise(curve.points)), default=0.0)
    return min(_BESIDE * eps, _USUAL * apart)


def _input(curve: FunctionCurve, block: JacobianBlock) -> str:
    return subscript(block.input_name, index_at(curve.row, block.input_shape))


def _facts(
    curve: FunctionCurve,
    block: JacobianBlock,
    poles: Sequence[float],
    jumps: Sequence[float],
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
    for key, places in (("poles", poles), ("jumps", jumps)):
        if places:
            names = [number_text(without_noise(each, 4)) for each in places]
            more = ["..."] * (len(names) > _MOST_PLACES)
            text = ", ".join([*names[:_MOST_PLACES], *more])
            facts.append(say(f"story.curve_{key}", places=text))
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

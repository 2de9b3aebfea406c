"""The error at one element of a Jacobian against eps, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.cells.plane import subscript
from gradviz.drawing.display.parts import Pen, Shape, circle
from gradviz.drawing.geometry.rect import Point
from gradviz.model.arrays import index_at
from gradviz.model.diagnosis import ErrorCurve
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.story.blocks import Block
from gradviz.story.frame import Drawn
from gradviz.story.plot import Plot, round_numbers
from gradviz.story.plot_stack import NamedLine, PlotStack, StackedPlot

_ERRORS, _SIDES = Pen("text", 4.0, is_round=True), Pen("forward", 3.0, (20.0, 8.0))
_ROUNDING, _TOLERANCE = Pen("backward", 3.0, (6.0, 6.0)), Pen("error", 2.5, (12.0, 8.0))
_DOT, _RING = circle((0, 0), 6.0), circle((0, 0), 13.0)

_LEAST_DECADES, _EDGE = 2.0, 0.4
"""Least height of the vertical axis, and space around what is drawn, in decades."""


def error_block(
    curve: ErrorCurve, block: JacobianBlock, report: JacobianReport, room: tuple[float, float]
) -> Block:
    """Draw the errors that a check measured, as wide and high as the room.

    Args:
        curve: The errors.
        block: The pair that they belong to.
        report: The report of the check.
        room: Width and height of the room.
    """
    lines = [*_lines(curve, report.allowed_at(block, curve))]
    heights = [y for each in lines for _, y in each.points if math.isfinite(y)]
    used = math.log10(report.eps)
    steps = used, *map(_log, curve.steps)
    across = min(steps) - _EDGE, max(steps) + _EDGE
    low, high = min(heights, default=-1.0), max(heights, default=-1.0)
    edge = _EDGE + max(0.0, _LEAST_DECADES - (high - low)) / 2
    return PlotStack(
        key="errors",
        plots=(StackedPlot(key="errors:plot", lines=lines, up=(low - edge, high + edge)),),
        across=across,
        below=[each for each in round_numbers(across, 8) if each.is_integer()],
        here=used,
        here_text=say("story.eps_used", eps=number_text(report.eps, 3)),
        facts=_facts(curve, block, report.eps),
        marks=lambda plot: _marks(plot, curve),
        is_logarithmic=True,
    ).block(room)


def _lines(curve: ErrorCurve, allowed: float | None) -> Iterator[NamedLine]:
    """What was measured, and what it is compared with."""
    if allowed is not None:
        ends = _points((curve.steps[0], curve.steps[-1]), (allowed, allowed))
        name = say("story.tolerance", number=number_text(allowed, 2))
        yield NamedLine("errors:tolerance", ends, _TOLERANCE, name)
    for key, values, pen in (
        ("rounding", curve.floors, _ROUNDING),
        ("sides", curve.one_sided, _SIDES),
        ("error", curve.errors, _ERRORS),
    ):
        points = _points(curve.steps, values)
        if any(math.isfinite(y) for _, y in points):
            yield NamedLine(f"errors:{key}", points, pen, say(f"story.{key}_line"))


def _marks(plot: Plot, curve: ErrorCurve) -> Iterator[Drawn]:
    """A dot for each error that was measured, and a ring around the best one."""
    for number, point in enumerate(_points(curve.steps, curve.errors)):
        if plot.shows(point):
            x, y = plot.place(point)
            yield Drawn(key=f"errors:dot{number}", parts=(Shape(_DOT, "text"),), x=x, y=y)
    best = curve.best
    for point in _points(*((each,) for each in best)) if best is not None else ():
        if plot.shows(point):
            x, y = plot.place(point)
            ring = Shape(_RING, None, Pen("ok", 3.5))
            yield Drawn(key="errors:best", parts=(ring,), x=x, y=y)


def _facts(curve: ErrorCurve, block: JacobianBlock, used: float) -> str:
    """What is drawn, and what is not."""
    element = say(
        "story.errors_at",
        output=subscript(block.output_name, index_at(curve.column, block.output_shape)),
        input=subscript(block.input_name, index_at(curve.row, block.input_shape)),
    )
    facts = [element, error_words(curve, used)]
    if 0.0 in (*curve.errors, *curve.one_sided):
        facts.append(say("story.zero_errors"))
    if not all(map(math.isfinite, curve.errors)):
        facts.append(say("story.curve_gaps"))
    return " · ".join(facts)


def error_words(curve: ErrorCurve, used: float) -> str:
    """The best step that was tried, and that of the check.

    Args:
        curve: The errors.
        used: The step of the check.
    """
    best = curve.best
    if best is None and any(map(math.isfinite, curve.errors)):
        return say("story.same_error", error=number_text(max(curve.errors), 2))
    if best is None:
        return say("story.no_finite_error")
    words = say("story.best_eps", eps=number_text(best[0], 3), error=number_text(best[1], 2))
    at_used = dict(zip(curve.steps, curve.errors, strict=True)).get(used, math.nan)
    if best[0] == used or not math.isfinite(at_used):
        return words
    error = number_text(at_used, 2)
    return f"{words} · {say('story.error_of_eps', eps=number_text(used, 3), error=error)}"


def error_rows(curve: ErrorCurve) -> str:
    """All that was measured, a line for each step."""
    rows = []
    for step, *found in zip(curve.steps, curve.errors, curve.one_sided, curve.floors, strict=True):
        error, sides, floor = (number_text(each, 2) for each in found)
        eps = number_text(step, 3)
        rows.append(say("story.error_row", eps=eps, error=error, sides=sides, floor=floor))
    return "\n".join(rows)


def _points(steps: Sequence[float], values: Sequence[float]) -> list[Point]:
    return [(_log(step), _log(value)) for step, value in zip(steps, values, strict=True)]


def _log(value: float) -> float:
    """The decimal logarithm; NaN for what has none."""
    return math.log10(value) if 0 < value < math.inf else math.nan

"""What the curve of the error against eps says, in numbers and in words."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from gradviz.model.diagnosis import ErrorCurve
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.viewer.tensor_view.numbers import short_number
from gradviz.viewer.tensor_view.plane import subscript

_ENOUGH = 1.5
"""Factor on the smallest error within which a step nearer to the one in use is as good."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("EpsCurve", text)


def curve_of(report: JacobianReport, block: JacobianBlock) -> ErrorCurve | None:
    """The curve of a pair; None where none was tried."""
    place = (block.output, block.input, block.part)
    found = (each for each in report.curves if (each.output, each.input, each.part) == place)
    return next(found, None)


def best_of(curve: ErrorCurve) -> tuple[float, float] | None:
    """The step with the smallest error, and that error; None where no error is known.

    Of steps whose errors are nearly as small, the largest: it is the furthest from rounding.
    """
    known = [pair for pair in zip(curve.steps, curve.errors, strict=True) if math.isfinite(pair[1])]
    if not known:
        return None
    least = min(error for _, error in known)
    return [pair for pair in known if pair[1] <= least * _ENOUGH][-1]


def allowed_at(report: JacobianReport, block: JacobianBlock, curve: ErrorCurve) -> float | None:
    """The tolerance at the element of a curve; None where its numerical value is not known."""
    worst = block.worst
    if worst is None or (worst.row, worst.column) != (curve.row, curve.column):
        return None
    allowed = report.atol + report.rtol * abs(worst.numerical)
    return allowed if math.isfinite(allowed) and allowed > 0 else None


def element_text(block: JacobianBlock, curve: ErrorCurve) -> str:
    """The element of a curve by its names."""
    text = _tr("Error against eps at ∂ {output} / ∂ {input}")
    return text.format(
        output=subscript(block.output_name, _index(curve.column, block.output_shape)),
        input=subscript(block.input_name, _index(curve.row, block.input_shape)),
    )


def summary(curve: ErrorCurve, used: float) -> str:
    """The best step and the one that was used, in one line.

    Args:
        curve: What was tried.
        used: The step of the check.
    """
    best = best_of(curve)
    if best is None:
        return _tr("No step gave a number.")
    text = _tr("Best of those tried: eps {eps}, error {error}.")
    said = text.format(eps=step_text(best[0]), error=short_number(best[1], 2))
    at_used = dict(zip(curve.steps, curve.errors, strict=True)).get(used)
    if at_used is None or not math.isfinite(at_used):
        return said
    text = _tr("{best} With eps {eps}, which was used: {error}.")
    return text.format(best=said, eps=step_text(used), error=short_number(at_used, 2))


def described(curve: ErrorCurve, used: float, allowed: float | None) -> str:
    """All that the plot shows, for who does not see it."""
    lines = [summary(curve, used)]
    if allowed is not None:
        lines.append(_tr("The tolerance is {number}.").format(number=short_number(allowed, 2)))
    row = _tr("eps {eps}: error {error}, one-sided difference {sides}, expected rounding {floor}")
    for each in zip(curve.steps, curve.errors, curve.one_sided, curve.floors, strict=True):
        error, sides, floor = (short_number(number, 2) for number in each[1:])
        lines.append(row.format(eps=step_text(each[0]), error=error, sides=sides, floor=floor))
    return "\n".join(lines)


def step_text(step: float) -> str:
    """A step as one types it."""
    return f"{step:.3g}"


def _index(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A place in row-major order as an index."""
    index: list[int] = []
    for size in reversed(shape):
        index.append(place % size)
        place //= size
    return tuple(reversed(index))

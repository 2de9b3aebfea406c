"""Describes the curve of error vs. eps in numbers and in words."""

from __future__ import annotations

import math

from gradviz.catalogue.numbers import number_text
from gradviz.drawing.cells.plane import subscript
from gradviz.model.arrays import index_at
from gradviz.model.diagnosis import ErrorCurve
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.viewer.translation import translate

_ENOUGH = 1.5
"""Errors up to this factor above the smallest count as equally good."""


def curve_of(report: JacobianReport, block: JacobianBlock) -> ErrorCurve | None:
    """Curve of a pair; None if none was computed."""
    return next((each for each in report.curves if each.place == block.place), None)


def best_of(curve: ErrorCurve) -> tuple[float, float] | None:
    """Best step and its error; None if no error is finite.

    Among steps with nearly the smallest error it is the largest, since that is least affected by
    rounding.
    """
    known = [pair for pair in zip(curve.steps, curve.errors, strict=True) if math.isfinite(pair[1])]
    if not known:
        return None
    least = min(error for _, error in known)
    # A damaged trace may have negative ones, of which a multiple is smaller.
    return [pair for pair in known if pair[1] <= max(least, least * _ENOUGH)][-1]


def allowed_at(report: JacobianReport, block: JacobianBlock, curve: ErrorCurve) -> float | None:
    """Tolerance at the element of a curve; None if its numerical value is not known."""
    worst = block.worst
    if worst is None or (worst.row, worst.column) != (curve.row, curve.column):
        return None
    allowed = report.atol + report.rtol * abs(worst.numerical)
    return allowed if math.isfinite(allowed) and allowed > 0 else None


def element_text(block: JacobianBlock, curve: ErrorCurve) -> str:
    """Title that names the element of a curve."""
    text = translate("EpsCurve", "Error vs. eps at ∂ {output} / ∂ {input}")
    return text.format(
        output=subscript(block.output_name, index_at(curve.column, block.output_shape)),
        input=subscript(block.input_name, index_at(curve.row, block.input_shape)),
    )


def summary(curve: ErrorCurve, used: float) -> str:
    """Summary of the best step and the step of the check, in one line.

    Args:
        curve: The curve.
        used: The step of the check.
    """
    best = best_of(curve)
    if best is None:
        return translate("EpsCurve", "No eps gave a finite error.")
    text = translate("EpsCurve", "Best eps tried: {eps}, with error {error}.")
    best_text = text.format(eps=step_text(best[0]), error=number_text(best[1], 2))
    at_used = dict(zip(curve.steps, curve.errors, strict=True)).get(used)
    if at_used is None or not math.isfinite(at_used):
        return best_text
    text = translate("EpsCurve", "{best} This check used eps {eps}, with error {error}.")
    return text.format(best=best_text, eps=step_text(used), error=number_text(at_used, 2))


def described(curve: ErrorCurve, used: float, allowed: float | None) -> str:
    """Full text of the plot, for screen readers and the tooltip."""
    lines = [summary(curve, used)]
    if allowed is not None:
        lines.append(
            translate("EpsCurve", "The tolerance is {number}.").format(
                number=number_text(allowed, 2)
            )
        )
    row = translate(
        "EpsCurve",
        "eps {eps}: error {error}, right − left difference {sides}, "
        "expected rounding error {floor}",
    )
    for each in zip(curve.steps, curve.errors, curve.one_sided, curve.floors, strict=True):
        error, sides, floor = (number_text(number, 2) for number in each[1:])
        lines.append(row.format(eps=step_text(each[0]), error=error, sides=sides, floor=floor))
    return "\n".join(lines)


def step_text(step: float) -> str:
    """Step with three digits, as a user would type it."""
    return number_text(step, 3)

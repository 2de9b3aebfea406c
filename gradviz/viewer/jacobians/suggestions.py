"""Other checks that a report suggests: in float64, at another point, with another step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.viewer.jacobians.curve_words import best_of, curve_of, step_text

NUDGE = 0.001
"""How far a point is moved away from a kink at first."""

_FURTHER = 10
_LOW_PRECISION = frozenset({"float32", "float16", "bfloat16", "complex64", "complex32"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A check that is one click away.

    Attributes:
        text: Of the button.
        tip: Why, in a sentence.
        settings: Of that check.
    """

    text: str
    tip: str
    settings: CheckSettings


def _tr(text: str) -> str:
    return QCoreApplication.translate("Suggestions", text)


def suggestions_of(
    report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
) -> tuple[Suggestion, ...]:
    """What to try next.

    Args:
        report: What was found.
        block: The pair that is looked at; None for none.
        settings: What the report was made with, or what is set now.
    """
    low = _in_float64(report, settings)
    step = _step(report, block, settings) if low is None else _tolerant(report, settings)
    found = (low, step, _moved(report, settings))
    return tuple(each for each in found if each is not None)


def _in_float64(report: JacobianReport, settings: CheckSettings) -> Suggestion | None:
    if report.cast_from or not _LOW_PRECISION & set(report.dtype.split(", ")):
        return None
    return Suggestion(
        text=_tr("Check in float64"),
        tip=_tr("Casts the inputs first, so that rounding cannot be what differs"),
        settings=replace(settings, cast=True),
    )


def _tolerant(report: JacobianReport, settings: CheckSettings) -> Suggestion | None:
    """A step and tolerances that an input of low precision can meet."""
    types = [each for each in report.dtype.split(", ") if each in _LOW_PRECISION]
    honest = replace(settings.for_dtype(types[0]), cast=settings.cast)
    if report.verdict == "match" or honest == settings:
        return None
    tip = _tr("eps {eps}, atol {atol} and rtol {rtol}, which {dtype} can meet").format(
        eps=step_text(honest.eps),
        atol=step_text(honest.atol),
        rtol=step_text(honest.rtol),
        dtype=types[0],
    )
    return Suggestion(text=_tr("Check with wider tolerances"), tip=tip, settings=honest)


def _moved(report: JacobianReport, settings: CheckSettings) -> Suggestion | None:
    if not any(each.code == "kink" for each in report.diagnoses):
        return None
    by = report.nudge * _FURTHER if report.nudge else NUDGE
    text, tip = (
        _tr("Move the point and check again"),
        _tr("Adds between {low} and {high} to inputs"),
    )
    if report.nudge:
        text = _tr("Move the point further and check again")
    return Suggestion(
        text=text,
        tip=tip.format(low=f"{by:g}", high=f"{2 * by:g}"),
        settings=replace(settings, nudge=by),
    )


def _step(
    report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
) -> Suggestion | None:
    """The best step of the curve, where the step is what the diagnosis doubts."""
    codes = {each.code for each in report.diagnoses}
    curves = report.curves
    if block is not None:
        own = curve_of(report, block)
        curves = curves if own is None else (own,)
    if not codes & {"eps_sensitive", "float32_noise"} or not curves:
        return None
    best = best_of(curves[0])
    if best is None or math.isclose(best[0], report.eps, rel_tol=0.01):
        return None
    return Suggestion(
        text=_tr("Check with eps {eps}").format(eps=step_text(best[0])),
        tip=_tr("Of the steps that were tried, this one has the smallest error"),
        settings=replace(settings, eps=best[0]),
    )

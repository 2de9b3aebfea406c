"""Suggests further checks: in float64, at shifted inputs, or with another eps."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication

from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.viewer.jacobians.curve_words import best_of, curve_of, step_text

NUDGE = 0.001
"""Initial shift of the inputs away from a kink."""

_FURTHER = 10
_LOW_PRECISION = frozenset({"float32", "float16", "bfloat16", "complex64", "complex32"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A check that is one click away.

    Attributes:
        text: Label of the button.
        tip: Tooltip with the reason.
        settings: Settings of the check.
    """

    text: str
    tip: str
    settings: CheckSettings


def _tr(text: str) -> str:
    return QCoreApplication.translate("Suggestions", text)


def suggestions_of(
    report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
) -> tuple[Suggestion, ...]:
    """List the checks to try next.

    Args:
        report: The report.
        block: The selected pair, or None.
        settings: Settings of the report, or the current ones.
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
        tip=_tr("Cast the inputs first, so that rounding cannot cause differences"),
        settings=replace(settings, cast=True),
    )


def _tolerant(report: JacobianReport, settings: CheckSettings) -> Suggestion | None:
    """Suggest an eps and tolerances that suit inputs of low precision."""
    types = [each for each in report.dtype.split(", ") if each in _LOW_PRECISION]
    honest = replace(settings.for_dtype(types[0]), cast=settings.cast)
    if report.verdict == "match" or honest == settings:
        return None
    tip = _tr("eps {eps}, atol {atol} and rtol {rtol}, suitable for {dtype}").format(
        eps=step_text(honest.eps),
        atol=step_text(honest.atol),
        rtol=step_text(honest.rtol),
        dtype=types[0],
    )
    return Suggestion(text=_tr("Check with Wider Tolerances"), tip=tip, settings=honest)


def _moved(report: JacobianReport, settings: CheckSettings) -> Suggestion | None:
    if not any(each.code == "kink" for each in report.diagnoses):
        return None
    by = report.nudge * _FURTHER if report.nudge else NUDGE
    text, tip = (
        _tr("Shift Inputs and Check Again"),
        _tr("Add between {low} and {high} to the input elements"),
    )
    if report.nudge:
        text = _tr("Shift Inputs Further and Check Again")
    return Suggestion(
        text=text,
        tip=tip.format(low=f"{by:g}", high=f"{2 * by:g}"),
        settings=replace(settings, nudge=by),
    )


def _step(
    report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
) -> Suggestion | None:
    """Suggest the best eps of the curve, if the diagnosis blames eps."""
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
        tip=_tr("This eps had the smallest error of those tried"),
        settings=replace(settings, eps=best[0]),
    )

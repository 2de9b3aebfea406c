"""Investigation of whether the numerical Jacobians are reliable: precision, step, kinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from msgspec import structs
from msgspec.structs import replace
from numpy.typing import NDArray
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import CheckSubject
from gradviz.checks.cast import WIDER
from gradviz.checks.diagnosis.support.chunks import mask_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun
from gradviz.checks.random_tensors import nudge
from gradviz.checks.reliability import unreliable_diagnoses
from gradviz.checks.reliability.cancellation import (
    find_cancellation,
    inner_type,
    unit,
    without_casts,
)
from gradviz.checks.reliability.measurement import (
    DifferenceQuotients,
    MeasuredFunction,
    copied,
    in_wider_precision,
    measured_function,
    recompute_pairs,
    sample,
    sweep_steps,
)
from gradviz.checks.reliability.numerical_error_causes import (
    NumericalErrorCause,
    curve_of,
    find_numerical_error_cause,
)
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis, ErrorCurve

_MOST_ROWS = 32
_SHRINKS = 0.5
"""At a tenth of the step, the gap of a smooth function falls to a tenth; at a kink it stays."""

_GROWS = 5
"""At a jump, a tenth of the step makes the quotient ten times as large."""

_HALF = (torch.float16, torch.bfloat16)

BoolMask = NDArray[np.bool_]


def has_kinks(bench: MeasuredFunction, pair: JacobianPair, eps: float) -> bool:
    """Whether the one-sided quotients of a wrong element stay apart as the step shrinks.

    Args:
        bench: What is measured.
        pair: A pair with a real input; if it has many rows, a sample of them is measured.
        eps: The larger of two steps; the other one is a tenth of it.
    """
    where = bench.find(pair)
    if where is None:
        return False

    def is_wrong(ours: Tensor, theirs: Tensor) -> Tensor:
        ours, theirs = ours.double(), theirs.double()
        return (ours - theirs).abs() > pair.atol + pair.rtol * theirs.abs()

    wrong = mask_of(is_wrong, pair.analytical, pair.numerical).cpu().numpy()
    for element in sample(np.flatnonzero(wrong.any(axis=1)), _MOST_ROWS):
        row = sweep_steps(bench, where, element, (eps / 10, eps))
        if row is not None and bool((_persistent_gaps(row, pair) & wrong[element]).any()):
            return True
    return False


def _persistent_gaps(row: DifferenceQuotients, pair: JacobianPair) -> BoolMask:
    """Mask of elements whose gap does not shrink with the step, or grows as at a jump."""
    (small, large), central = row.gap, np.abs(row.central)
    allowed = pair.atol + pair.rtol * central.max(axis=0)
    noise = 50 * row.floor(float(np.finfo(np.float64).eps)).max(axis=0)
    kink = (small > _SHRINKS * large) & (small > allowed)
    jump = central[0] > _GROWS * central[1]
    found: BoolMask = (kink & (small > noise)) | (jump & (central[0] > noise + allowed))
    return found


_MOST_CURVES = 4
# In this order, so that the nearest point without wrong elements is taken.
_NUDGES = (1e-3, 1e-2)
_MOST_FOR_A_GUESS = 4_000
"""Above this, the point is moved only if a kink was seen."""

_FINE = 1e-6
"""A step that suits float64, for checks in lower precision with a larger step."""


def diagnose_precision(case: CheckContext) -> Iterator[Diagnosis]:
    """Provide a full-precision version of a function that raises, for investigations.

    This yields no diagnosis.
    """
    if not case.pairs and case.output_names and case.findings.verdict() == "error":
        wide = in_wider_precision(case.subject)
        if wide is not None and measured_function(wide, case.evaluations) is not None:
            case.precise.append(wide)
    # Makes this a generator, as an investigation has to be.
    yield from ()


def diagnose_numerical_jacobians(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield ``float32_noise``, ``eps_sensitive`` or ``kink`` for explained pairs.

    If a pair is wrong and its values are unreliable too, better values replace them for the
    investigations that follow.
    """
    pairs = list(case.unexplained())
    if not pairs:
        return
    causes: dict[PairKey, unreliable_diagnoses.UnreliableJacobian] = {}
    subject = _in_full_precision(case, pairs, causes)
    left = [pair for pair in case.pairs if pair.place in _places(pairs) - causes.keys()]
    measured = measured_function(subject, case.evaluations)
    if left and measured is not None:
        _at_many_steps(case, measured, left, causes)
    yield from unreliable_diagnoses.diagnoses(causes, [pair.place for pair in pairs], pairs)


def _in_full_precision(
    case: CheckContext,
    pairs: Sequence[JacobianPair],
    causes: dict[PairKey, unreliable_diagnoses.UnreliableJacobian],
) -> CheckSubject:
    """Explain the differences that vanish in float64, and continue there with the others."""
    own = measured_function(case.subject, case.evaluations)
    low = None if own is None else inner_type(own)
    if own is None or low is None:
        return case.subject
    wide = in_wider_precision(case.subject)
    if wide is None and any(each.dtype in WIDER for each in case.subject.tensors):
        return case.subject
    inner = None if wide is None else measured_function(wide, case.evaluations)
    if wide is None or inner is None or inner_type(inner) is not None:
        wide = without_casts(wide or case.subject)
    eps = min(case.settings.eps, _FINE)
    again = recompute_pairs(case, wide, eps)
    coarse = again if eps == case.settings.eps else recompute_pairs(case, wide, case.settings.eps)
    if again is None or coarse is None:
        return case.subject
    right = [pair for pair in pairs if again[pair.place].block.wrong == 0]
    if any(coarse[pair.place].block.wrong for pair in right):
        return case.subject  # A difference that remains in full precision is none of rounding.
    for pair in right:
        found = _measured(case, own, pair, low)
        causes[pair.place] = unreliable_diagnoses.of_precision(
            pair, found, low, case.settings.eps, eps
        )
    _replace(case, {place: pair for place, pair in again.items() if place not in causes})
    if wide.function is case.subject.function:
        case.precise.append(wide)
    return wide


def _measured(
    case: CheckContext, own: MeasuredFunction, pair: JacobianPair, low: torch.dtype
) -> ErrorCurve | None:
    """Error curve of a pair whose cause is known."""
    if len(case.findings.curves) >= _MOST_CURVES:
        return None
    found = curve_of(own, pair, case.settings.eps, unit(low))
    if found is not None:
        case.findings.curves.append(found)
    return found


def _at_many_steps(
    case: CheckContext,
    measured: MeasuredFunction,
    pairs: Sequence[JacobianPair],
    causes: dict[PairKey, unreliable_diagnoses.UnreliableJacobian],
) -> None:
    inner = inner_type(measured)
    kinks: list[JacobianPair] = []
    for pair in pairs[: _MOST_CURVES - len(case.findings.curves)]:
        found = find_numerical_error_cause(measured, pair, case.settings.eps, unit(inner))
        if found is None:
            continue
        case.findings.curves.append(found.curve)
        if found.is_step:
            causes[pair.place] = unreliable_diagnoses.of_step(pair, found, case.settings.eps, inner)
        elif inner is None and (
            lost := find_cancellation(measured, pair, case.settings.eps, unit(None))
        ):
            causes[pair.place] = unreliable_diagnoses.of_cancellation(lost, case.settings.eps)
        elif inner in _HALF and (step := unreliable_diagnoses.rounding_step(pair, found.curve)):
            causes[pair.place] = unreliable_diagnoses.of_half_precision(
                pair, found.curve, case.settings.eps, inner, step
            )
        elif found.is_kink:
            kinks.append(pair)
            causes[pair.place] = unreliable_diagnoses.of_kink(pair, found, case.settings.eps)
        else:
            case.notes.update(unreliable_diagnoses.note(pair, found))
            better = _with_reruns(case, measured, found)
            _replace(case, {pair.place: better})
            cheap = measured.cost < _MOST_FOR_A_GUESS
            may_have_kinks = (pair.numerical_is_zero and cheap) or has_kinks(
                measured, better, case.settings.eps
            )
            kinks.extend([pair] if may_have_kinks else [])
    if kinks:
        _move_away(case, measured.subject, kinks, causes)


def _with_reruns(
    case: CheckContext, measured: MeasuredFunction, found: NumericalErrorCause
) -> JacobianPair:
    """The pair of a wrong gradient, with reruns that use the same better step."""
    settings = structs.replace(case.settings, eps=found.eps)
    reruns = PerturbedRerun(measured.subject, settings, case.evaluations)
    return found.pair if found.eps == case.settings.eps else replace(found.pair, reruns=reruns)


def _move_away(
    case: CheckContext,
    subject: CheckSubject,
    kinks: Sequence[JacobianPair],
    causes: dict[PairKey, unreliable_diagnoses.UnreliableJacobian],
) -> None:
    """Accept kinks only if the pair agrees beside them; else continue at that other point."""
    found = _moved(case, subject)
    for pair in kinks:
        measured = causes.pop(pair.place, None)
        if found is not None and found[1][pair.place].block.wrong == 0:
            causes[pair.place] = (measured or unreliable_diagnoses.of_unseen_kink()).moved(found[0])
    if found is not None:
        by = found[0]
        left = {place: pair for place, pair in found[1].items() if place not in causes}
        wrong = {place: pair for place, pair in left.items() if pair.block.wrong}
        note = say("measured.at_moved_point", least=by, most=2 * by)
        case.notes.update(dict.fromkeys(wrong, note))
        _replace(case, wrong)


def _moved(
    case: CheckContext, subject: CheckSubject
) -> tuple[float, Mapping[PairKey, JacobianPair]] | None:
    """The pairs at the nearby point with the fewest wrong elements, and its distance."""
    best: tuple[float, Mapping[PairKey, JacobianPair]] | None = None
    for by in _NUDGES:
        moved = copied(subject)
        nudge(moved.tensors, by)
        again = recompute_pairs(case, moved, min(case.settings.eps, _FINE))
        if again is not None and (best is None or _wrong(again) < _wrong(best[1])):
            best = by, again
        if best is not None and not _wrong(best[1]):
            break
    return best


def _wrong(again: Mapping[PairKey, JacobianPair]) -> int:
    return sum(pair.block.wrong for pair in again.values())


def _places(pairs: Sequence[JacobianPair]) -> set[PairKey]:
    return {pair.place for pair in pairs}


def _replace(case: CheckContext, better: Mapping[PairKey, JacobianPair]) -> None:
    for k, pair in enumerate(case.pairs):
        case.pairs[k] = better.get(pair.place, pair)

"""Investigation of whether the numerical Jacobians are reliable: precision, step, kinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.pair import Pair, Place
from gradviz.checks.diagnosis.second_look import SecondLook
from gradviz.checks.nudge import nudge
from gradviz.checks.probes import verdicts
from gradviz.checks.probes.again import pairs_again
from gradviz.checks.probes.bench import Bench, bench, copied, widened
from gradviz.checks.probes.causes import Cause, cause, curve_of
from gradviz.checks.probes.drowned import drowned
from gradviz.checks.probes.kinks import has_kinks
from gradviz.checks.probes.precision import inner_type, uncast, unit
from gradviz.checks.subject import Subject
from gradviz.model.diagnosis import Diagnosis, ErrorCurve

_MOST_CURVES = 4
_NUDGES = (1e-3, 1e-2)
_MOST_FOR_A_GUESS = 4_000
"""Above this, the point is moved only if a kink was seen."""

_FINE = 1e-6
"""A step that suits float64, for checks in lower precision with a larger step."""


def precision(case: Case) -> Iterator[Diagnosis]:
    """Provide a full-precision version of a function that raises, for investigations.

    This yields no diagnosis.
    """
    if not case.pairs and case.output_names and case.findings.verdict() == "error":
        wide = widened(case.subject)
        if wide is not None and bench(wide, case.evaluations) is not None:
            case.precise.append(wide)
    yield from ()


def numbers(case: Case) -> Iterator[Diagnosis]:
    """Yield ``float32_noise``, ``eps_sensitive`` or ``kink`` for explained pairs.

    If a pair is wrong and its values are unreliable too, better values replace them for the
    investigations that follow.
    """
    pairs = [pair for pair in case.pairs if not case.is_explained(pair)]
    if not pairs:
        return
    said: dict[Place, verdicts.Said] = {}
    subject = _in_full_precision(case, pairs, said)
    left = [pair for pair in case.pairs if pair.place in _places(pairs) - said.keys()]
    measured = bench(subject, case.evaluations)
    if left and measured is not None:
        _at_many_steps(case, measured, left, said)
    yield from verdicts.diagnoses(said, [pair.place for pair in pairs], pairs)


def _in_full_precision(
    case: Case, pairs: Sequence[Pair], said: dict[Place, verdicts.Said]
) -> Subject:
    """Explain the differences that vanish in float64, and continue there with the others."""
    own = bench(case.subject, case.evaluations)
    low = None if own is None else inner_type(own)
    if own is None or low is None:
        return case.subject
    wide = widened(case.subject)
    inner = None if wide is None else bench(wide, case.evaluations)
    if wide is None or inner is None or inner_type(inner) is not None:
        wide = uncast(wide or case.subject)
    eps = min(case.settings.eps, _FINE)
    again = pairs_again(case, wide, eps)
    if again is None:
        return case.subject
    for pair in pairs:
        if again[pair.place].block.wrong == 0:
            found = _measured(case, own, pair, low)
            said[pair.place] = verdicts.of_precision(pair, found, low, case.settings.eps, eps)
    _replace(case, {place: pair for place, pair in again.items() if place not in said})
    if wide.function is case.subject.function:
        case.precise.append(wide)
    return wide


def _measured(case: Case, own: Bench, pair: Pair, low: torch.dtype) -> ErrorCurve | None:
    """Error curve of a pair whose cause is known."""
    if len(case.findings.curves) >= _MOST_CURVES:
        return None
    found = curve_of(own, pair, case.settings.eps, unit(low))
    if found is not None:
        case.findings.curves.append(found)
    return found


def _at_many_steps(
    case: Case, measured: Bench, pairs: Sequence[Pair], said: dict[Place, verdicts.Said]
) -> None:
    inner = inner_type(measured)
    kinks: list[Pair] = []
    for pair in pairs[: _MOST_CURVES - len(case.findings.curves)]:
        found = cause(measured, pair, case.settings.eps, unit(inner))
        if found is None:
            continue
        case.findings.curves.append(found.curve)
        if found.is_step:
            said[pair.place] = verdicts.of_step(pair, found, case.settings.eps, inner)
        elif inner is None and (lost := drowned(measured, pair, case.settings.eps, unit(None))):
            said[pair.place] = verdicts.of_drowned(lost, case.settings.eps)
        elif found.is_kink:
            kinks.append(pair)
            said[pair.place] = verdicts.of_kink(pair, found, case.settings.eps)
        else:
            case.notes.update(verdicts.note(pair, found))
            better = _with_looks(case, measured, found)
            _replace(case, {pair.place: better})
            cheap = measured.cost < _MOST_FOR_A_GUESS
            suspect = (pair.numerical_is_zero and cheap) or has_kinks(
                measured, better, case.settings.eps
            )
            kinks.extend([pair] if suspect else [])
    if kinks:
        _move_away(case, measured.subject, kinks, said)


def _with_looks(case: Case, measured: Bench, found: Cause) -> Pair:
    """The pair of a wrong gradient, with reruns that use the same better step."""
    settings = replace(case.settings, eps=found.eps)
    looks = SecondLook(measured.subject, settings, case.evaluations)
    return found.pair if found.eps == case.settings.eps else replace(found.pair, looks=looks)


def _move_away(
    case: Case, subject: Subject, kinks: Sequence[Pair], said: dict[Place, verdicts.Said]
) -> None:
    """Accept kinks only if the pair agrees beside them; else continue at that other point."""
    found = _moved(case, subject)
    for pair in kinks:
        measured = said.pop(pair.place, None)
        if found is not None and found[1][pair.place].block.wrong == 0:
            said[pair.place] = (measured or verdicts.of_unseen_kink()).moved(found[0])
    if found is not None:
        left = {place: pair for place, pair in found[1].items() if place not in said}
        _replace(case, {place: pair for place, pair in left.items() if pair.block.wrong})


def _moved(case: Case, subject: Subject) -> tuple[float, Mapping[Place, Pair]] | None:
    """The pairs at the nearby point with the fewest wrong elements, and its distance."""
    best: tuple[float, Mapping[Place, Pair]] | None = None
    for by in _NUDGES:
        moved = copied(subject)
        nudge(moved.tensors, by)
        again = pairs_again(case, moved, min(case.settings.eps, _FINE))
        if again is not None and (best is None or _wrong(again) < _wrong(best[1])):
            best = by, again
        if best is not None and not _wrong(best[1]):
            break
    return best


def _wrong(again: Mapping[Place, Pair]) -> int:
    return sum(pair.block.wrong for pair in again.values())


def _places(pairs: Sequence[Pair]) -> set[Place]:
    return {pair.place for pair in pairs}


def _replace(case: Case, better: Mapping[Place, Pair]) -> None:
    for k, pair in enumerate(case.pairs):
        case.pairs[k] = better.get(pair.place, pair)

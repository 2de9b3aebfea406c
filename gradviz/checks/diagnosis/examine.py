"""Search for the causes of a failed check, the most certain and most specific ones first.

First come further runs of the function, because values distorted by noise, a kink or randomness
can match any pattern. Then the remaining pairs are examined together, and finally one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from gradviz.checks import problems
from gradviz.checks.attempt import Attempt
from gradviz.checks.battery.battery import battery
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.double_backward_cut import double_backward_cut
from gradviz.checks.diagnosis.factor import factors
from gradviz.checks.diagnosis.ill_sized import ill_sized
from gradviz.checks.diagnosis.linearity import ignores_grad_output
from gradviz.checks.diagnosis.missing_conjugate import missing_conjugate
from gradviz.checks.diagnosis.missing_term import missing_terms
from gradviz.checks.diagnosis.not_dense import not_dense
from gradviz.checks.diagnosis.other_modes import other_modes
from gradviz.checks.diagnosis.reattached import reattached
from gradviz.checks.diagnosis.refused import refused
from gradviz.checks.diagnosis.rules import diagnose
from gradviz.checks.diagnosis.second_look import SecondLook
from gradviz.checks.diagnosis.silent import silent
from gradviz.checks.diagnosis.swapped_gradients import swapped_gradients
from gradviz.checks.diagnosis.undefined_gradient import undefined_gradient
from gradviz.checks.layouts import is_dense
from gradviz.checks.probes.numbers import numbers, precision
from gradviz.checks.probes.standing import standing
from gradviz.checks.reference.replayed import replayed
from gradviz.model.diagnosis import Diagnosis

Investigation = Callable[[Case], Iterable[Diagnosis]]

BEFORE: tuple[Investigation, ...] = (
    standing,
    precision,
    refused,
    ill_sized,
    numbers,
    replayed,
    double_backward_cut,
    ignores_grad_output,
    swapped_gradients,
    silent,
    reattached,
    missing_conjugate,
    factors,
    missing_terms,
)
"""Run before single pairs: tests of the numerical values, and causes shared by several pairs."""

AFTER: tuple[Investigation, ...] = (
    undefined_gradient,
    battery,
    other_modes,
)
"""Run after all pairs: mistakes that the values of the Jacobians do not show."""


def examine(case: Case) -> None:
    """Add diagnoses, curves and trials to the findings of a case.

    Raises:
        CheckCancelledError: If the check was cancelled; what was found before is kept.
    """
    if not all(map(is_dense, case.subject.arguments)):
        _investigate((not_dense, other_modes), case)
        return
    looks = SecondLook(case.subject, case.settings, case.evaluations)
    case = replace(case, pairs=[replace(pair, looks=looks) for pair in case.pairs])
    for investigation in BEFORE:
        _investigate((investigation,), case.in_full_precision())
    _investigate((_single_pairs,), case)
    for diagnosis in case.afterwards:
        case.findings.diagnose(diagnosis)
    _investigate(AFTER, case)


def _investigate(investigations: Iterable[Investigation], case: Case) -> None:
    for investigation in investigations:
        with Attempt() as attempt:
            for diagnosis in investigation(case):
                _diagnose(case, diagnosis)
        if attempt.error is not None:  # A bug in gradviz must not cost the verdict.
            case.findings.notice(problems.examination_failed(attempt.error))


def _single_pairs(case: Case) -> Iterator[Diagnosis]:
    """Diagnose each pair that nothing explains yet."""
    for pair in case.pairs:
        if not case.is_explained(pair):
            yield diagnose(pair)


def _diagnose(case: Case, found: Diagnosis) -> None:
    """Add a diagnosis, with the note on its pair as the last piece of evidence."""
    note = None
    if found.output is not None and found.input is not None:
        note = case.notes.get((found.output, found.input, found.part))
    noted = found if note is None else replace(found, evidence=(*found.evidence, note))
    case.findings.diagnose(noted)

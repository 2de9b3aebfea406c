"""Finds out what is behind what a check found, in order: the surest and most telling first.

First the function is tried again, since numbers that noise, a kink or chance have made fit any
pattern; then the pairs that are left are looked at together, and each alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.rules import diagnose
from gradviz.checks.diagnosis.second_look import SecondLook
from gradviz.checks.reference.replayed import replayed
from gradviz.model.diagnosis import Diagnosis

Investigation = Callable[[Case], Iterable[Diagnosis]]

BEFORE: tuple[Investigation, ...] = (replayed,)
"""Whether the numbers can be believed, and what goes for several pairs: before single pairs."""

AFTER: tuple[Investigation, ...] = ()
"""What the numbers do not show: after all pairs."""


def examine(case: Case) -> None:
    """Adds diagnoses, curves and trials to the findings of a case.

    Raises:
        CheckCancelledError: If the check was cancelled; what was found until then stays.
    """
    looks = SecondLook(case.subject, case.settings, case.evaluations)
    case = replace(case, pairs=tuple(replace(pair, looks=looks) for pair in case.pairs))
    _investigate(BEFORE, case)
    for pair in case.pairs:
        if not case.is_explained(pair):
            case.findings.diagnose(diagnose(pair))
    _investigate(AFTER, case)


def _investigate(investigations: Iterable[Investigation], case: Case) -> None:
    for investigation in investigations:
        for diagnosis in investigation(case):
            case.findings.diagnose(diagnosis)

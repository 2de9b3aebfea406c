"""Diagnoses of in-place changes that forward or backward does not declare."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradviz.catalogue.messages import say_list
from gradviz.checks import problem_messages
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.reliability.repeated_runs import ChangedTensor, RepeatedRuns
from gradviz.checks.reliability.result_distance import distance_beyond_rounding
from gradviz.checks.reliability.seeded_runs import SeededRuns, values_of
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.user_errors import UserCodeAttempt
from gradviz.model.diagnosis import Diagnosis

_REFUSED = "has been modified by an inplace operation"
"""Part of torch's message about a saved tensor that has been modified."""


def find_inplace_damage(case: DiagnosisCase, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Yield ``inplace_damage`` if something that is still needed was changed."""
    harmful = [each for each in seen.damaged_by_forward if _matters(case, each)]
    if harmful:
        refusal = _refusal(case)
        if refusal is not None:
            problem = problem_messages.raised("After further evaluations, backward", refusal)
            case.findings.fault(CheckStage.NUMERICAL, problem, "error")
        yield _by_forward(harmful)
    elif seen.damaged_by_backward:
        yield _by_backward(seen.damaged_by_backward)
    elif seen.error is not None and _REFUSED in str(seen.error):
        yield _refused()


def _matters(case: DiagnosisCase, found: ChangedTensor) -> bool:
    """Whether an argument that forward changed is differentiated, or changes the results.

    Running statistics that forward updates are harmless.
    """
    if found.tensor.requires_grad:
        return True
    runs = SeededRuns(case.subject, case.evaluations)
    case.evaluations.expect(2)
    difference = 0.0
    with UserCodeAttempt(), restore_arguments(case.subject.arguments):
        values = values_of(runs.forward(1))
        difference = distance_beyond_rounding(values, values_of(runs.forward(1)))
    return difference > 0


def _refusal(case: DiagnosisCase) -> Exception | None:
    """Error that backward raises after another forward; gradcheck runs many in between."""
    runs = SeededRuns(case.subject, case.evaluations)
    case.evaluations.expect(3)
    with restore_arguments(case.subject.arguments):
        with UserCodeAttempt() as attempt:
            outputs = runs.forward(1)
            runs.forward(1)
        if attempt.error is not None:
            return None
        with UserCodeAttempt() as attempt:
            runs.backward(outputs, 1)
    return attempt.error


def _by_forward(harmful: list[ChangedTensor]) -> Diagnosis:
    names = say_list(list(dict.fromkeys(each.name for each in harmful)))
    return Diagnosis(
        code="inplace_damage",
        message=(
            f"Forward changes {names} in place, but neither calls ctx.mark_dirty nor "
            "returns it. Later uses, including the next evaluation of this check, see "
            "the changed values. Work on a copy (.clone()), or mark it as dirty and "
            "return it."
        ),
        output=None,
        input=None,
        evidence=tuple(f"After one forward, {_changes(each)}." for each in harmful),
    )


def _by_backward(damaged: list[ChangedTensor]) -> Diagnosis:
    names = say_list(list(dict.fromkeys(each.name for each in damaged)))
    return Diagnosis(
        code="inplace_damage",
        message=(
            f"Backward changes {names} in place, so another backward from the same "
            "forward (with retain_graph=True, or element by element as in this check) "
            "computes with the changed values. Work on a copy (.clone())."
        ),
        output=None,
        input=None,
        evidence=tuple(f"After one backward, {_changes(each)}." for each in damaged),
    )


def _refused() -> Diagnosis:
    return Diagnosis(
        code="inplace_damage",
        message=(
            "A tensor saved for backward is changed in place before backward uses it, so "
            "torch raises an error. Work on a copy (.clone())."
        ),
        output=None,
        input=None,
        evidence=(
            "Backward raised an error: a saved tensor no longer has the version that was saved.",
        ),
    )


def _changes(found: ChangedTensor) -> str:
    now = found.after
    if now.shape != found.before.shape:
        return f"{found.name} has shape {list(now.shape)} instead of {list(found.before.shape)}"
    other = (now != found.before) & ~(now.isnan() & found.before.isnan())
    count = int(other.count_nonzero())
    if not count:
        return f"{found.name} has different bits for equal values, such as -0 for 0"
    first = tuple(int(k) for k in other.nonzero()[0])
    was, is_now = (_number(each[first]) for each in (found.before, now))
    if not first:
        return f"{found.name} changed from {was} to {is_now}"
    what = "element differs" if count == 1 else "elements differ"
    place = f"{found.name}[{', '.join(map(str, first))}]"
    return f"{count} of {now.numel()} {what}: {place} changed from {was} to {is_now}"


def _number(value: torch.Tensor) -> str:
    return f"{value.item():.6g}"

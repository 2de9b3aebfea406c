"""Diagnoses of in-place changes that forward or backward does not declare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.reliability.repeated_runs import ChangedTensor, RepeatedRuns
from gradviz.checks.reliability.result_distance import distance_beyond_rounding
from gradviz.checks.reliability.seeded_runs import seeded_runs, values_of
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.user_errors import UserCodeAttempt
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.error_boundary import safe_exception_text

_REFUSED = "has been modified by an inplace operation"
"""Part of torch's message about a saved tensor that has been modified."""


def find_inplace_damage(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Yield ``inplace_damage`` if something that is still needed was changed."""
    harmful = [each for each in seen.damaged_by_forward if _matters(case, each)]
    if harmful:
        refusal = _refusal(case)
        if refusal is not None:
            problem = make_problem("raised.further", error=refusal)
            case.findings.fault(CheckStage.NUMERICAL, problem, "error")
        yield _by_forward(harmful)
    elif seen.damaged_by_backward:
        yield _by_backward(seen.damaged_by_backward)
    elif seen.error is not None and _REFUSED in safe_exception_text(seen.error):
        yield _refused()


def _matters(case: CheckContext, found: ChangedTensor) -> bool:
    """Whether an argument that forward changed is differentiated, or changes the results.

    Running statistics that forward updates are harmless.
    """
    if found.tensor.requires_grad:
        return True
    case.evaluations.expect(2)
    difference = 0.0
    with (
        UserCodeAttempt(),
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        values = values_of(runs.forward(1))
        difference = distance_beyond_rounding(values, values_of(runs.forward(1)))
    return difference > 0


def _refusal(case: CheckContext) -> Exception | None:
    """Error that backward raises after another forward; gradcheck runs many in between."""
    case.evaluations.expect(3)
    with (
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        with UserCodeAttempt() as attempt:
            outputs = runs.forward(1)
            runs.forward(1)
        if attempt.error is not None:
            return None
        with UserCodeAttempt() as attempt:
            runs.backward(outputs, 1)
    return attempt.error


def _by_forward(harmful: list[ChangedTensor]) -> Diagnosis:
    evidence = [_change("forward", each) for each in harmful]
    return _diagnosis(say("damage.forward", names=_names(harmful)), evidence)


def _by_backward(damaged: list[ChangedTensor]) -> Diagnosis:
    evidence = [_change("backward", each) for each in damaged]
    return _diagnosis(say("damage.backward", names=_names(damaged)), evidence)


def _refused() -> Diagnosis:
    return _diagnosis(say("damage.refused"), [say("damage.refused.raised")])


def _diagnosis(message: str, evidence: Sequence[str]) -> Diagnosis:
    return diagnosed("inplace_damage", message, evidence=tuple(evidence))


def _names(changed: Sequence[ChangedTensor]) -> str:
    return say_list(list(dict.fromkeys(each.name for each in changed)))


def _change(stage: str, found: ChangedTensor) -> str:
    now, values = found.after, {"stage": stage, "name": found.name}
    if now.shape != found.before.shape:
        shapes = {"before": list(found.before.shape), "after": list(now.shape)}
        return say("damage.change.shape", **values, **shapes)
    other = (now != found.before) & ~(now.isnan() & found.before.isnan())
    count = int(other.count_nonzero())
    if not count:
        return say("damage.change.bits", **values)
    first = tuple(int(k) for k in other.nonzero()[0])
    numbers = {"before": _number(found.before[first]), "after": _number(now[first])}
    if not first:
        return say("damage.change.number", **values, **numbers)
    return say_count(
        "damage.change",
        count,
        **values,
        **numbers,
        total=now.numel(),
        index=", ".join(map(str, first)),
    )


def _number(value: torch.Tensor) -> str:
    return f"{value.item():.6g}"

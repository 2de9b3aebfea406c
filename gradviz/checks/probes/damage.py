"""Forward changes its arguments in place without saying so, or backward what it will need again."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradviz.checks import problems
from gradviz.checks.arguments import put_back
from gradviz.checks.attempt import Attempt
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.findings import Stage
from gradviz.checks.probes.distance import apart
from gradviz.checks.probes.observation import Observation
from gradviz.checks.probes.runs import Runs, values_of
from gradviz.checks.probes.saved import Damage
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.messages import say_list

_REFUSED = "has been modified by an inplace operation"
"""Torch's words where a saved tensor is not as it was saved."""


def damage(case: Case, seen: Observation) -> Iterator[Diagnosis]:
    """``inplace_damage`` where something was changed that others rely on."""
    harmful = [each for each in seen.damaged_by_forward if _matters(case, each)]
    if harmful:
        refusal = _refusal(case)
        if refusal is not None:
            problem = problems.raised("After further evaluations, backward", refusal)
            case.findings.fault(Stage.NUMERICAL, problem, "error")
        yield _by_forward(harmful)
    elif seen.damaged_by_backward:
        yield _by_backward(seen.damaged_by_backward)
    elif seen.error is not None and _REFUSED in str(seen.error):
        yield _refused()


def _matters(case: Case, found: Damage) -> bool:
    """Whether an argument that forward has changed is differentiated, or changes the results.

    Running statistics that forward updates on its way are no damage.
    """
    if found.tensor.requires_grad:
        return True
    runs = Runs(case.subject, case.evaluations)
    case.evaluations.expect(2)
    difference = 0.0
    with Attempt(), put_back(case.subject.arguments):
        values = values_of(runs.forward(1))
        difference = apart(values, values_of(runs.forward(1)))
    return difference > 0


def _refusal(case: Case) -> Exception | None:
    """What backward raises after another forward: gradcheck has many of them in between."""
    runs = Runs(case.subject, case.evaluations)
    case.evaluations.expect(3)
    with put_back(case.subject.arguments):
        with Attempt() as attempt:
            outputs = runs.forward(1)
            runs.forward(1)
        if attempt.error is not None:
            return None
        with Attempt() as attempt:
            runs.backward(outputs, 1)
    return attempt.error


def _by_forward(harmful: list[Damage]) -> Diagnosis:
    names = say_list(list(dict.fromkeys(each.name for each in harmful)))
    return Diagnosis(
        code="inplace_damage",
        message=(
            f"Forward changes {names} in place, without ctx.mark_dirty and without returning it:"
            " whoever uses it afterwards, also the next evaluation of this check, finds other"
            " values. Work on a copy (.clone()), or mark it as dirty and return it."
        ),
        output=None,
        input=None,
        evidence=tuple(f"After one forward, {_changes(each)}." for each in harmful),
    )


def _by_backward(damaged: list[Damage]) -> Diagnosis:
    names = say_list(list(dict.fromkeys(each.name for each in damaged)))
    return Diagnosis(
        code="inplace_damage",
        message=(
            f"Backward changes {names} in place: a second backward from the same forward"
            " (retain_graph=True, or one element after the other as here) computes with other"
            " numbers. Work on a copy (.clone())."
        ),
        output=None,
        input=None,
        evidence=tuple(f"After one backward, {_changes(each)}." for each in damaged),
    )


def _refused() -> Diagnosis:
    return Diagnosis(
        code="inplace_damage",
        message=(
            "Something that was saved for backward is changed in place before backward needs it,"
            " which torch finds out and refuses. Work on a copy (.clone())."
        ),
        output=None,
        input=None,
        evidence=("Backward raised: a saved tensor is not of the version that was saved.",),
    )


def _changes(found: Damage) -> str:
    now = found.after
    if now.shape != found.before.shape:
        return f"{found.name} has the shape {list(now.shape)} instead of {list(found.before.shape)}"
    other = (now != found.before) & ~(now.isnan() & found.before.isnan())
    count = int(other.count_nonzero())
    if not count:
        return f"{found.name} holds other bits for equal numbers, as -0 for 0"
    first = tuple(int(k) for k in other.nonzero()[0])
    was, is_now = (_number(each[first]) for each in (found.before, now))
    if not first:
        return f"{found.name} is {is_now} and was {was}"
    what = "element differs" if count == 1 else "elements differ"
    place = f"{found.name}[{', '.join(map(str, first))}]"
    return f"{count} of {now.numel()} {what}: {place} is {is_now} and was {was}"


def _number(value: torch.Tensor) -> str:
    return f"{value.item():.6g}"

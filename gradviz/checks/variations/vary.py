"""All variations of a check in turn, and what they reveal about the function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.attempt import Attempt, told
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.findings import Findings
from gradviz.checks.subject import Subject
from gradviz.checks.variations.judge import Judge
from gradviz.checks.variations.running import Recheck, Runner, leaf
from gradviz.checks.variations.sizes import sizes_that_go_together, smaller
from gradviz.checks.variations.variation import Variation, has_indices, variations
from gradviz.model.diagnosis import Diagnosis, Trial

_MOST = 40


def vary(subject: Subject, evaluations: Evaluations, findings: Findings, recheck: Recheck) -> None:
    """Try variations of the arguments; rows and diagnoses are added to the findings.

    Raises:
        CheckCancelledError: If the check was cancelled; earlier rows are kept.
    """
    right = findings.verdict() == "match" and all(each.is_harmless for each in findings.diagnoses)
    runner = Runner(subject, evaluations)
    if not all(each.layout is torch.strided for each in _tensors(subject.arguments)):
        return
    given = tuple(map(_own, subject.arguments))
    if runner.forward(given).refused is not None:
        return
    judge = Judge(runner, recheck)
    every = _all(subject, runner, given)
    found: list[Trial] = []
    for variation in islice(every, _MOST):
        row = _tried(judge, variation)
        if row is not None:
            found.append(row)
            findings.trials.append(row)
    if left := sum(1 for _ in every):
        findings.trials.append(_left_out(left))
    if right:
        for diagnosis in _diagnoses(found):
            findings.diagnose(diagnosis)


def _tried(judge: Judge, variation: Variation) -> Trial | None:
    with Attempt() as attempt:
        return judge.trial(variation)
    reason = "" if attempt.error is None else told(attempt.error)
    return Trial(
        kind="variation",
        name=variation.name,
        outcome="skipped",
        message=f"This variation could not be judged: {reason}",
    )


def _tensors(arguments: Sequence[Any]) -> list[Tensor]:
    return [each for each in arguments if isinstance(each, Tensor)]


def _own(argument: Any) -> Any:
    """A modifiable copy of an argument, with the same strides."""
    return leaf(argument.detach().clone(), argument) if isinstance(argument, Tensor) else argument


def _all(subject: Subject, runner: Runner, given: tuple[Any, ...]) -> Iterator[Variation]:
    groups = sizes_that_go_together(runner, given)
    small = given if has_indices(given) else smaller(runner, given, groups)
    if small is not given:
        yield Variation(kind="size", name="small sizes", arguments=small)
    yield from variations(subject, small, groups)


def _left_out(count: int) -> Trial:
    return Trial(
        kind="variation",
        name="more variations",
        outcome="skipped",
        message=f"{count} more were left out; at most {_MOST} are tried.",
    )


def _diagnoses(found: Sequence[Trial]) -> Iterator[Diagnosis]:
    """Yield one diagnosis per code: the given inputs pass, others do not."""
    for code in dict.fromkeys(row.code for row in found if row.code):
        rows = [row for row in found if row.code == code]
        yield Diagnosis(
            code=code,
            message=f"The given inputs pass, but others do not. {rows[0].name}: {rows[0].message}",
            output=None,
            input=None,
            evidence=tuple(f"{row.name}: {row.message}" for row in rows),
        )

"""All variations of a check in turn, and what they reveal about the function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from gradviz.catalogue.messages import say, say_count
from gradviz.checks.arguments import CheckSubject, DifferentiatedInput
from gradviz.checks.battery.backward_runs import DifferenceKind, gradient_difference
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.problem_messages import Attempt, describe_exception, own_bug
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.run.progress import CheckCancelledError, Evaluations
from gradviz.checks.variations.variation import (
    Recheck,
    Variation,
    VariationRun,
    VariationRunner,
    has_indices,
    leaf,
    sizes_that_go_together,
    smaller,
    variations,
)
from gradviz.model.diagnosis import Diagnosis, Trial, TrialOutcome
from gradviz.model.jacobian_report import JacobianReport
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.own_errors import is_bug

_MOST_ELEMENTS = 2_000
_ALLOWED, _ALLOWED_OF_HALF = 0.2, 0.7
"""Allowed rounding error relative to the largest number; real mistakes are larger."""
_NOT_OFFERED = ("not implemented for", "not supported", "Unsupported dtype")
"""Phrases in torch's errors about a missing kernel for a dtype or device."""


class VariationEvaluator:
    """Judge of the variations of one function."""

    def __init__(self, runner: VariationRunner, recheck: Recheck) -> None:
        self._runner = runner
        self._recheck = recheck

    def trial(self, variation: Variation) -> Trial | None:
        """The variation's row; None if forward rejects inputs it need not accept."""
        run = self._runner.both(variation.arguments)
        if run.refused is not None:
            reason = say("varied.refused", error=describe_exception(run.refused))
            return _row(variation, "skipped", reason) if variation.expected else None
        if not run.is_finite:
            return _row(variation, "skipped", say("varied.not_finite"))
        if not run.is_differentiable:
            return _row(variation, "skipped", say("varied.no_grad"))
        if variation.oracle is not None:
            return self._same(variation, run, self._runner.both(variation.oracle))
        return self._checked(variation, run)

    def _same(self, variation: Variation, run: VariationRun, oracle: VariationRun) -> Trial:
        """Compare results with those for equivalent arguments, which must be the same."""
        if oracle.refused is not None or oracle.error is not None or not oracle.is_finite:
            return _row(variation, "skipped", say("varied.no_baseline"))
        strides = variation.kind == "layout"
        # Another dtype or device draws other random numbers.
        if run.draws and not strides:
            return _row(variation, "skipped", say("varied.random"))
        code = "stride_blind" if strides else "fails_for_variation"
        if run.error is not None:
            error = describe_exception(run.error)
            if any(words in safe_exception_text(run.error) for words in _NOT_OFFERED):
                return _row(variation, "skipped", say("varied.unsupported", error=error))
            return _row(variation, "raises", say("varied.raised", error=error), code)
        wanted = self._runner.inputs(variation.arguments)
        allowed = _ALLOWED if variation.is_decisive else _ALLOWED_OF_HALF
        explanation = _explain_difference(
            _outputs(run), run.numbers, oracle.numbers, allowed, "output"
        )
        explanation = explanation or _explain_difference(
            wanted, run.gradients, oracle.gradients, allowed
        )
        if explanation:
            return _row(variation, "fails", explanation, code)
        return _row(variation, "passes", say("varied.same"))

    def _checked(self, variation: Variation, run: VariationRun) -> Trial:
        inputs = sum(each.tensor.numel() for each in self._runner.inputs(variation.arguments))
        if inputs + sum(each.numel() for each in run.numbers) > _MOST_ELEMENTS:
            return _row(variation, "skipped", say("varied.too_many"))
        report = self._recheck(variation.arguments)
        # The nested check was cancelled, and this one with it.
        if report.verdict == "incomplete":
            raise CheckCancelledError
        if report.passed:
            count = sum(block.count for block in report.blocks)
            return _row(variation, "passes", _agreed(count))
        return _failed(variation, report)


def _agreed(count: int) -> str:
    return say_count("varied.agree", count) if count else say("varied.agree.none")


def _failed(variation: Variation, report: JacobianReport) -> Trial:
    finding = next((each for each in report.diagnoses if not each.is_harmless), None)
    bug = next((each for each in report.problems if each.code == "bug"), None)
    if bug is not None:
        return _row(variation, "skipped", bug.message)
    raised = next((each for each in report.problems if each.code == "raised"), None)
    if raised is not None:
        return _row(variation, "raises", raised.message, _code(finding))
    if finding is None:
        return _row(variation, "skipped", report.diagnoses[0].message)
    message = finding.message
    if finding.code == "unknown" and report.problems:
        message = report.problems[0].message
    if variation.kind == "complex":
        return _row(variation, "skipped", say("varied.real_only"))
    return _row(variation, "fails", message, _code(finding))


def _code(finding: Diagnosis | None) -> str:
    """The code of a diagnosis; of an unknown cause is known that the given inputs pass."""
    return "fails_for_variation" if finding is None or finding.code == "unknown" else finding.code


def _explain_difference(
    wanted: Sequence[DifferentiatedInput],
    found: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    allowed: float,
    kind: DifferenceKind = "gradient",
) -> str:
    """How two results differ, in a sentence; empty if they are the same."""
    shapes = [
        (None if one is None or other is None else (one.shape, other.shape))
        for one, other in zip(found, expected, strict=True)
    ]
    if any(each is not None and each[0] != each[1] for each in shapes):
        return say("varied.shape")
    finding = gradient_difference(wanted, found, expected, allowed=allowed, kind=kind)
    if finding is None or not finding.matters:
        return ""
    return say("varied.differs", difference=finding.text)


def _outputs(run: VariationRun) -> list[DifferentiatedInput]:
    named = zip(run.names, run.numbers, strict=True)
    return [DifferentiatedInput(k, name, each) for k, (name, each) in enumerate(named)]


def _row(variation: Variation, outcome: TrialOutcome, message: str, code: str = "") -> Trial:
    return Trial(
        kind="variation",
        name=variation.name,
        outcome=outcome,
        message=message,
        code=code if variation.is_decisive else "",
    )


_MOST = 40


def run_variations(
    subject: CheckSubject, evaluations: Evaluations, findings: CheckFindings, recheck: Recheck
) -> None:
    """Try variations of the arguments; rows and diagnoses are added to the findings."""
    right = findings.verdict() == "match" and all(each.is_harmless for each in findings.diagnoses)
    runner = VariationRunner(subject, evaluations)
    if not all(each.layout is torch.strided for each in _tensors(subject.arguments)):
        return
    given = tuple(map(_own, subject.arguments))
    if runner.forward(given).refused is not None:
        return
    judge = VariationEvaluator(runner, recheck)
    every = _all(subject, runner, given)
    found: list[Trial] = []
    for variation in islice(every, _MOST):
        row = _tried(judge, variation)
        if row is not None:
            found.append(row)
            findings.trials.append(row)
    # Counting the rest creates its arguments, but runs nothing.
    if left := sum(1 for _ in every):
        findings.trials.append(_left_out(left))
    if right:
        for diagnosis in _diagnoses(found):
            findings.diagnose(diagnosis)


def _tried(judge: VariationEvaluator, variation: Variation) -> Trial | None:
    with Attempt() as attempt:
        return judge.trial(variation)
    if attempt.error is None:
        return None
    if is_bug(attempt.error):
        return _row(variation, "skipped", own_bug(attempt.error).message)
    reason = describe_exception(attempt.error)
    return _row(variation, "skipped", say("varied.failed", error=reason))


def _tensors(arguments: Sequence[Any]) -> list[Tensor]:
    return [each for each in arguments if isinstance(each, Tensor)]


def _own(argument: Any) -> Any:
    """A modifiable copy of an argument, with the same strides."""
    return leaf(argument.detach().clone(), argument) if isinstance(argument, Tensor) else argument


def _all(
    subject: CheckSubject, runner: VariationRunner, given: tuple[Any, ...]
) -> Iterator[Variation]:
    groups = sizes_that_go_together(runner, given)
    small = given if has_indices(given) else smaller(runner, given, groups)
    if small is not given:
        yield Variation(kind="size", name=say("variation.small"), arguments=small)
    yield from variations(subject, small, groups)


def _left_out(count: int) -> Trial:
    return Trial(
        kind="variation",
        name=say("variation.more"),
        outcome="skipped",
        message=say_count("varied.left_out", count, limit=_MOST),
    )


def _diagnoses(found: Sequence[Trial]) -> Iterator[Diagnosis]:
    """Yield one diagnosis per code: the given inputs pass, others do not."""
    for code in dict.fromkeys(row.code for row in found if row.code):
        rows = [row for row in found if row.code == code]
        yield diagnosed(
            code,
            say("varied.diagnosis", variation=rows[0].name, message=rows[0].message),
            evidence=tuple(
                say("varied.row", variation=row.name, message=row.message) for row in rows
            ),
        )

"""The last stages of a check: backward with zero and with undefined gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.checks import problem_messages
from gradviz.checks.backward_rules import differentiable, nonzero_gradients, with_undefined
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.user_errors import UserCodeAttempt


def expected_evaluations(outputs: Sequence[Any]) -> int:
    """Number of evaluations of both stages."""
    count = len(differentiable(outputs))
    return 1 + 2 * (1 + (count if count > 1 else 0))


def check_zero(running: CheckContext, outputs: Sequence[Any]) -> None:
    """Check that zero incoming gradients give zero gradients. Frees the outputs' graph."""
    running.evaluations.begin()
    nonzero: list[int] = []
    with UserCodeAttempt() as attempt:
        chosen = [value for _, value in differentiable(outputs)]
        nonzero = nonzero_gradients(chosen, running.subject.tensors)
    if attempt.error is not None:
        problem = problem_messages.raised("Backward from zero gradients", attempt.error)
        running.findings.fault(CheckStage.ZERO, problem, "error")
    for i in nonzero:
        problem = problem_messages.not_multiplied(running.inputs[i].name)
        running.findings.fault(CheckStage.ZERO, problem, "mismatch")


def check_undefined(running: CheckContext, outputs: Sequence[Any]) -> None:
    """Check undefined gradients for all outputs at once, then for each of several.

    Args:
        running: The check.
        outputs: What the function returned; it is evaluated again for each case.
    """
    count = len(differentiable(outputs))
    for which in (None, *(range(count) if count > 1 else ())):
        with UserCodeAttempt() as attempt:
            fresh = running.ways.evaluate()
        if attempt.error is not None:
            problem = problem_messages.raised(running.subject.called, attempt.error)
            running.findings.fault(CheckStage.UNDEFINED, problem, "error")
            return
        _check_undefined_one(running, fresh, which)


def _check_undefined_one(
    running: CheckContext, outputs: tuple[Any, ...], which: int | None
) -> None:
    chosen = differentiable(outputs)
    names = running.output_names
    name = "every output" if which is None else names[chosen[which][0]]
    name = names[0] if len(names) == 1 else name
    running.evaluations.begin()
    nonzero: list[int] = []
    with UserCodeAttempt() as attempt:
        undefined = with_undefined([value for _, value in chosen], which)
        nonzero = nonzero_gradients(undefined, running.subject.tensors)
    if attempt.error is not None:
        problem = problem_messages.undefined_raised(name, attempt.error)
        refused = isinstance(attempt.error, RuntimeError)
        running.findings.fault(CheckStage.UNDEFINED, problem, "mismatch" if refused else "error")
    for i in nonzero:
        problem = problem_messages.undefined_not_zero(name, running.inputs[i].name)
        running.findings.fault(CheckStage.UNDEFINED, problem, "mismatch")

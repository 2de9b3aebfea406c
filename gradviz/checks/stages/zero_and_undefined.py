"""The last stages of a check: backward with zero and with undefined gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from gradviz.checks.backward_rules import differentiable, nonzero_gradients, with_undefined
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.user_errors import UserCodeAttempt


def expected_evaluations(outputs: Sequence[Any], *, undefined: bool) -> int:
    """Number of evaluations of the first stage, or of both if undefined gradients are tried."""
    count = len(differentiable(outputs))
    if not undefined:
        return 1
    # A backward with zeros, then a forward and a backward for each undefined gradient.
    return 1 + 2 * (1 + (count if count > 1 else 0))


def check_zero(running: CheckContext, outputs: Sequence[Any]) -> None:
    """Check that zero incoming gradients give zero gradients. Frees the outputs' graph."""
    running.evaluations.begin()
    nonzero: dict[int, Tensor] = {}
    with UserCodeAttempt() as attempt:
        chosen = [value for _, value in differentiable(outputs)]
        nonzero = nonzero_gradients(chosen, running.subject.tensors, nearly=running.settings.masked)
    if attempt.error is not None:
        problem = make_problem("raised.zero_gradients", error=attempt.error)
        running.findings.fault(CheckStage.ZERO, problem, "error")
    elif not nonzero:
        running.findings.passed.add(CheckStage.ZERO)
    for i, gradient in nonzero.items():
        problem = make_problem(
            "not_multiplied" if _has_number(gradient) else "not_multiplied.nonfinite",
            name=running.inputs[i].name,
            count=int((~gradient.isfinite()).sum()),
        )
        running.findings.fault(CheckStage.ZERO, problem, "mismatch")


def _has_number(gradient: Tensor) -> bool:
    """Whether a value is neither zero nor NaN nor Inf."""
    return bool((gradient.isfinite() & gradient.ne(0)).any())


def check_undefined(running: CheckContext, outputs: Sequence[Any]) -> None:
    """Check undefined gradients for all outputs at once, then for each of several.

    Args:
        running: The check.
        outputs: What the function returned; it is evaluated again for each case.
    """
    count = len(differentiable(outputs))
    for which in (None, *(range(count) if count > 1 else ())):
        with UserCodeAttempt() as attempt:
            # A new graph for each case, because the backward before has freed its own.
            fresh = running.evaluator.evaluate()
        if attempt.error is not None:
            problem = make_problem(f"raised.{running.subject.kind}", error=attempt.error)
            running.findings.fault(CheckStage.UNDEFINED, problem, "error")
            return
        _check_undefined_one(running, fresh, which)


def _check_undefined_one(
    running: CheckContext, outputs: tuple[Any, ...], which: int | None
) -> None:
    chosen = differentiable(outputs)
    names = running.output_names
    every = which is None and len(names) > 1
    name = names[0 if which is None else chosen[which][0]]
    running.evaluations.begin()
    nonzero: dict[int, Tensor] = {}
    with UserCodeAttempt() as attempt:
        undefined = with_undefined([value for _, value in chosen], which)
        nonzero = nonzero_gradients(undefined, running.subject.tensors)
    if attempt.error is not None:
        problem = make_problem(
            f"undefined_gradient.raised{'_every' if every else ''}",
            output=name,
            error=attempt.error,
        )
        # As in gradcheck: False for a RuntimeError, while any other exception is raised.
        refused = issubclass(type(attempt.error), RuntimeError)
        running.findings.fault(CheckStage.UNDEFINED, problem, "mismatch" if refused else "error")
    elif which is None and not nonzero:
        running.findings.passed.add(CheckStage.UNDEFINED)
    for i, gradient in nonzero.items():
        key = f"undefined_gradient{'.every' if every else ''}"
        key = key if _has_number(gradient) else "undefined_gradient.nonfinite"
        problem = make_problem(
            key,
            output=name,
            name=running.inputs[i].name,
        )
        running.findings.fault(CheckStage.UNDEFINED, problem, "mismatch")

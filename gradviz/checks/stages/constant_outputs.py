"""Check that outputs without a gradient do not change with the inputs."""

from __future__ import annotations

from functools import partial
from typing import Any

from torch import Tensor

from gradviz.checks.output_parts import parts_of
from gradviz.checks.problem_messages import for_order, make_problem
from gradviz.checks.random_tensors import RandomUnitVectors, random_directions
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.stages.fast_mode import derivatives_along
from gradviz.checks.stages.full_jacobians import attempted


def check_that_nothing_changes(running: CheckContext, outputs: tuple[Any, ...]) -> bool:
    """Check that non-differentiable outputs stay constant.

    gradcheck does this if no output is differentiable: with the full numerical Jacobians, or along
    one direction per input in fast mode.

    Returns:
        False if the function raised.
    """
    parts, order = parts_of(outputs, differentiable=False), running.subject.order
    tensors, evaluator, is_fast = running.subject.tensors, running.evaluator, running.settings.fast
    found = random_directions(RandomUnitVectors(), tensors) if is_fast else []
    full = 0 if is_fast else sum(map(evaluator.numerical_evaluations, tensors))
    running.evaluations.expect(full + sum(2 * len(each) for each in found))
    for i, each in enumerate(running.inputs):
        work = partial(evaluator.numerical, each.tensor, parts, running.settings.eps)
        if is_fast:
            work = partial(derivatives_along, running, each.tensor, found[i], parts)
        derivatives, problem = attempted(running, each, work)
        if problem is not None:
            running.findings.fault(CheckStage.NUMERICAL, problem, "error")
        if derivatives is None:
            return False
        for part, values in zip(parts, derivatives, strict=True):
            if _is_other_than_zero(running, values):
                name = running.output_names[part.output]
                problem = make_problem(
                    for_order("numerical_not_zero", order), output=name, name=each.name
                )
                running.findings.fault(CheckStage.NUMERICAL, problem, "mismatch")
    running.findings.notice(make_problem(for_order("not_differentiable", order)))
    return True


def _is_other_than_zero(running: CheckContext, values: Tensor) -> bool:
    if not running.settings.fast:
        return bool(values.ne(0).any())
    return bool(values.numel()) and bool(values.abs().max() > running.settings.nondet_tol)

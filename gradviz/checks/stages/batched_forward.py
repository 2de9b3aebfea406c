"""Check of batched forward mode: ``vmap`` over ``jvp`` against separate evaluations.

Source: ``_test_batched_grad_forward_ad`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor
from torch.autograd import forward_ad

from gradviz.checks.output_parts import is_continuous
from gradviz.checks.problem_messages import UserCodeAttempt, make_problem
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.checks.stages.batched_gradients import without_vmap_warnings
from gradviz.model.jacobian_report import CheckVerdict
from gradviz.recorder.compat import vmap_of_gradcheck
from gradviz.recorder.patching.signals import calls_user_code

_BATCH = 2


def expected_evaluations(running: CheckContext) -> int:
    """Number of evaluations that `check_batched_forward` takes."""
    return (_BATCH + 1) * len(running.inputs)


def check_batched_forward(running: CheckContext) -> None:
    """Check that ``vmap`` over forward mode matches one evaluation for each tangent."""
    for i in range(len(running.inputs)):
        with UserCodeAttempt() as attempt:
            _check_one(running, i)
        if attempt.error is not None:
            problem = make_problem("forward_mode.raised", error=attempt.error)
            running.findings.fault(CheckStage.BATCHED_FORWARD, problem, "error", i)
            return
    running.findings.notice(make_problem("option.batched_forward"))


@calls_user_code
def _check_one(running: CheckContext, i: int) -> None:
    each = running.inputs[i]
    # As in gradcheck, from the run's own generator.
    tangents = [torch.randn_like(each.tensor) for _ in range(_BATCH)]
    along = partial(_tangents, running, each.position)
    one_by_one = [along(tangent) for tangent in tangents]
    at_once: tuple[Tensor, ...] = ()
    with UserCodeAttempt() as attempt, without_vmap_warnings():
        at_once = vmap_of_gradcheck(along)(torch.stack(tangents))
    if attempt.error is not None:
        problem = make_problem("batched_forward.raised", name=each.name, error=attempt.error)
        # As in gradcheck: False for a RuntimeError, while any other exception is raised.
        refused = issubclass(type(attempt.error), RuntimeError)
        verdict: CheckVerdict = "mismatch" if refused else "error"
        running.findings.fault(CheckStage.BATCHED_FORWARD, problem, verdict, i)
        return
    for found, *right in zip(at_once, *one_by_one, strict=True):
        # With torch's default tolerances, as in gradcheck.
        if not torch.allclose(found, torch.stack(right)):
            problem = make_problem("batched_forward", name=each.name)
            running.findings.fault(CheckStage.BATCHED_FORWARD, problem, "mismatch", i)
            return


@calls_user_code
def _tangents(running: CheckContext, position: int, tangent: Tensor) -> tuple[Tensor, ...]:
    """The outputs' tangents along one of an argument, zeros for an output without one."""
    values = [
        value.detach() if isinstance(value, Tensor) else value
        for value in running.subject.arguments
    ]
    with forward_ad.dual_level():
        values[position] = forward_ad.make_dual(values[position], tangent)
        duals = map(forward_ad.unpack_dual, filter(is_continuous, running.evaluator.call(values)))
        return tuple(
            torch.zeros_like(primal) if found is None else found for primal, found in duals
        )

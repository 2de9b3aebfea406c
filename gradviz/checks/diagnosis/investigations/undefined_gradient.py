"""Investigation of a backward that does not handle an undefined incoming gradient."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.support.rule import UNSTEADY, diagnosed, yields
from gradviz.checks.diagnosis.support.trial_run import gradients_like, trial_run
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis


@yields("undefined_gradient")
def diagnose_undefined_gradient(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose a backward that raises or returns nonzeros for undefined gradients."""
    found = [each for each in case.findings.problems if each.code == "undefined_gradient"]
    # These explain a failure with an undefined gradient by themselves.
    if not found or case.was_found("ignores_grad_output", *UNSTEADY):
        return
    if any(each.code == "not_multiplied" for each in case.findings.problems):
        return  # Backward does not even return zeros for zeros.
    if any(each.code == "raised" for each in case.findings.problems) and not _works(case):
        return
    yield diagnosed(
        "undefined_gradient.message", evidence=tuple(dict.fromkeys(each.message for each in found))
    )


def _works(case: CheckContext) -> bool:
    """Whether backward runs at all if every output has a gradient."""
    case.evaluations.expect(2)
    with trial_run(case) as attempt:
        outputs = [value for _, value in differentiable(case.evaluator.evaluate())]
        incoming = [gradients_like(value, seed) for seed, value in enumerate(outputs)]
        case.evaluations.begin()
        torch.autograd.grad(outputs, case.subject.tensors, incoming, allow_unused=True)
    return attempt.error is None

"""Backward cannot do with an incoming gradient that is not there."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.trial_run import gradients_like, trial_run
from gradviz.model.diagnosis import Diagnosis

CODE = "undefined_gradient"
_BEHIND = {"ignores_grad_output", "inplace_damage", "hidden_state", "nondeterministic"}
"""Where one of these is the matter, an undefined gradient is only where it came out as well."""


def undefined_gradient(case: Case) -> Iterator[Diagnosis]:
    """Where gradcheck tried an undefined gradient, and backward raised or made something of it."""
    found = [each for each in case.findings.problems if each.code == CODE]
    if not found or any(each.code in _BEHIND for each in case.findings.diagnoses):
        return
    if any(each.code == "not_multiplied" for each in case.findings.problems):
        return  # Backward does not even make zeros of zeros.
    if any(each.code == "raised" for each in case.findings.problems) and not _works(case):
        return
    yield Diagnosis(
        code=CODE,
        message=(
            "Backward does not take an incoming gradient that is not there, as every output has"
            " that is not used afterwards: after ctx.set_materialize_grads(False) it is None, and"
            " means zeros. Ask whether it is None, or let autograd fill in zeros."
        ),
        output=None,
        input=None,
        evidence=tuple(dict.fromkeys(each.message for each in found)),
    )


def _works(case: Case) -> bool:
    """Whether backward works at all, with a gradient for every output."""
    case.evaluations.expect(2)
    with trial_run(case) as attempt:
        outputs = [value for _, value in differentiable(case.ways.evaluate())]
        incoming = [gradients_like(value, seed) for seed, value in enumerate(outputs)]
        case.evaluations.begin()
        torch.autograd.grad(outputs, case.subject.tensors, incoming, allow_unused=True)
    return attempt.error is None

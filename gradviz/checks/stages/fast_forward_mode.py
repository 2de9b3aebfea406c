"""Forward mode in fast mode: one product with a random vector for each input.

Source: ``_fast_gradcheck`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from gradviz.checks.jacobians.dual_numbers import (
    DualArguments,
    TangentRound,
    copy_tangent,
    rounds_of,
)
from gradviz.checks.output_parts import OutputPart, is_continuous
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.random_tensors import RandomUnitVectors
from gradviz.checks.run.context import CheckContext
from gradviz.checks.stages.forward_mode import fault, raised
from gradviz.checks.stages.full_jacobians import attempted
from gradviz.checks.user_errors import UserCodeAttempt


def expected_evaluations(running: CheckContext) -> int:
    """Number of evaluations, including the check of undefined tangents."""
    inputs = running.subject.tensors
    # Two for a difference, one for a tangent, two for undefined tangents.
    return 5 * len(inputs) * len(rounds_of(inputs))


def check_forward_fast(running: CheckContext, outputs: tuple[Any, ...]) -> bool:
    """Compare ``jvp`` of random vectors with finite differences; False if it raised."""
    whole = [
        OutputPart(output=k, part="", shape=value.shape, dtype=value.dtype, device=value.device)
        for k, value in enumerate(outputs)
        if is_continuous(value)
    ]
    for place, this_round in enumerate(rounds_of(running.subject.tensors)):
        drawn = RandomUnitVectors()
        vectors = [drawn.of(*_form(each)) for each in running.subject.tensors]
        numerical = _numerical(running, whole, this_round, vectors, 2 * place)
        if numerical is None:
            return False
        with UserCodeAttempt() as attempt:
            analytical = _analytical(running, whole, this_round, vectors)
            _compare(running, whole, (analytical, numerical), vectors, 2 * place + 1)
        if attempt.error is not None:
            raised(running, attempt.error, 2 * place)
            return False
    return True


def _form(tensor: Tensor) -> tuple[int, torch.dtype, torch.device]:
    dtype = tensor.dtype.to_real() if tensor.is_complex() else tensor.dtype
    return tensor.numel(), dtype, tensor.device


def _numerical(
    running: CheckContext,
    parts: Sequence[OutputPart],
    this_round: TangentRound,
    vectors: Sequence[Tensor],
    place: int,
) -> list[list[Tensor]] | None:
    found, eps = [], running.settings.eps
    for each, vector in zip(running.inputs, vectors, strict=True):
        delta = eps * vector.view(each.tensor.shape)
        delta = delta * 1j if each.tensor.is_complex() and this_round == "imag" else delta
        work = partial(running.evaluator.derivatives_along, each.tensor, delta, parts, eps)
        made, problem = attempted(running, each, work)
        if problem is not None:
            fault(running, problem, "error", place)
        if made is None:
            return None
        found.append(made)
    return found


def _analytical(
    running: CheckContext,
    parts: Sequence[OutputPart],
    this_round: TangentRound,
    vectors: Sequence[Tensor],
) -> list[list[Tensor]]:
    found = []
    with forward_ad.dual_level():
        duals = DualArguments(running.subject.arguments, this_round)
        for tangent, vector in zip(duals.tangents, vectors, strict=True):
            tangent.copy_(vector.view_as(tangent))
            outputs = running.evaluator.call(duals.values())
            made = [
                torch.empty(part.shape.numel(), dtype=part.dtype, device=part.device)
                for part in parts
            ]
            for part, row in zip(parts, made, strict=True):
                copy_tangent(outputs[part.output], row)
            found.append(made)
            tangent.zero_()
    return found


def _compare(
    running: CheckContext,
    parts: Sequence[OutputPart],
    both: tuple[list[list[Tensor]], list[list[Tensor]]],
    vectors: Sequence[Tensor],
    place: int,
) -> None:
    settings = running.settings
    for i, (ours, theirs) in enumerate(zip(*both, strict=True)):
        # The same as ``_adjusted_atol`` in gradcheck.
        atol = settings.atol * float(vectors[i].sum())
        for part, one, two in zip(parts, ours, theirs, strict=True):
            if not torch.allclose(one, two, rtol=settings.rtol, atol=atol):
                problem = make_problem(
                    "forward_mode",
                    name=running.inputs[i].name,
                    output=running.output_names[part.output],
                )
                fault(running, problem, "mismatch", place)

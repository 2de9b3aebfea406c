"""Investigation of a backward that is not linear in its incoming gradient.

Every correct backward is linear: for the sum of two incoming gradients it returns the sum of what
it returns for each. It is not linear if it returns the derivative of forward without multiplying,
takes the sign of what it receives, or clips it. Gradcheck's Jacobians cannot show this if there is
only one output element, or if the incoming gradients are always zeros with a single one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.support.rule import UNSTEADY, diagnosed, yields
from gradviz.checks.diagnosis.support.trial_run import (
    counted,
    gradients_like,
    to_dense_gradients,
    trial_run,
)
from gradviz.checks.point_shift import nudge
from gradviz.checks.reliability.inner_precision import DowncastRecorder, unit
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis

_TOLERANCES = {torch.float64: 1e-5, torch.complex128: 1e-5, torch.float32: 1e-2}
"""Relative error allowed for rounding; other dtypes are too coarse for a conclusion."""

_ROUNDINGS = 16
"""Rounding errors of a lower dtype that may add up."""

_AWAY = 0.1
"""How far inputs are moved to see whether a gradient is the same everywhere."""

_NOTHING = 1e-5
"""Gradients below this are zero up to rounding, such as those of a softmax's sum."""


@dataclass(frozen=True, slots=True)
class _Failure:
    """An input whose gradient is not linear in the gradient of an output.

    Attributes:
        output: Position of the output.
        input: Position of the argument.
        kind: ``same`` if all incoming gradients give the same result, for other input values too;
            ``term`` if that holds for a part of the result only.
        value_at_zero: Largest absolute value that is returned for an incoming gradient of zeros.
    """

    output: int
    input: int
    kind: Literal["same", "term", "nonlinear"]
    value_at_zero: float


@yields("ignores_grad_output")
def find_ignored_grad_output(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose inputs by comparing two incoming gradients with their sum."""
    worth = case.settings.battery or case.findings.verdict() == "mismatch"
    known_codes = {each.code for each in (*case.findings.diagnoses, *case.deferred_diagnoses)}
    if case.subject.order != 1 or not case.findings.blocks or not worth or known_codes & UNSTEADY:
        return
    failures: list[_Failure] = []
    with trial_run(case) as attempt:
        casts = DowncastRecorder()
        with casts:
            outputs = differentiable(case.evaluator.evaluate())
        for position, value in outputs:
            failures += _failures(case, position, value, casts)
        if any(each.kind == "same" for each in failures):
            nudge(case.subject.tensors, _AWAY)
            failures = _confirmed(case, failures)
    if attempt.error is not None or not failures:
        return
    every = len({each.output for each in failures}) == len(outputs) > 1
    inputs = {each.input: each for each in failures}
    for failure in inputs.values():
        yield _diagnosis(case, failure, every=every)


def _confirmed(case: CheckContext, failures: list[_Failure]) -> list[_Failure]:
    """The failures, where a gradient that is not always the same has a term that is."""
    places = {each.position: k for k, each in enumerate(case.subject.inputs)}
    found = []
    for position, value in differentiable(case.evaluator.evaluate()):
        one, other = (_returned(case, value, gradients_like(value, seed)) for seed in (1, 2))
        for each in failures:
            if each.output == position:
                k = places[each.input]
                varies = each.kind == "same" and not torch.equal(one[k], other[k])
                found.append(replace(each, kind="term") if varies else each)
    return found


def _failures(
    case: CheckContext, position: int, value: Tensor, casts: DowncastRecorder
) -> Iterator[_Failure]:
    one, other = gradients_like(value, 1), gradients_like(value, 2)
    first, second, both = (
        _returned(case, value, each, casts) for each in (one, other, one + other)
    )
    coarse = max((_ROUNDINGS * unit(each) for each in {value.dtype, *casts.seen}), default=0.0)
    suspects = [k for k in range(len(first)) if _is_nonlinear(first[k], second[k], both[k], coarse)]
    if not suspects:
        return
    again = [_returned(case, value, one) for _ in range(2)]
    nothing = _returned(case, value, torch.zeros_like(value))
    for k in suspects:
        if all(torch.equal(first[k], each[k]) for each in again):  # Otherwise backward has a state.
            yield _Failure(
                output=position,
                input=case.subject.inputs[k].position,
                kind=_kind(first[k], second[k], both[k], nothing[k]),
                value_at_zero=float(nothing[k].abs().max()),
            )


def _kind(
    first: Tensor, second: Tensor, both: Tensor, nothing: Tensor
) -> Literal["same", "term", "nonlinear"]:
    """How the results for two incoming gradients, their sum and zeros are related."""
    if all(torch.equal(first, each) for each in (second, both, nothing)):
        return "same"
    is_term = bool(nothing.any()) and torch.allclose(both + nothing, first + second)
    return "term" if is_term else "nonlinear"


def _is_nonlinear(first: Tensor, second: Tensor, both: Tensor, coarse: float) -> bool:
    """Whether the result for the sum is wrong beyond rounding; ignores nonfinite values.

    Args:
        first: The result for one incoming gradient.
        second: The result for another one.
        both: The result for their sum.
        coarse: Relative rounding error of lower dtypes that backward or its output uses.
    """
    found = first, second, both
    if not both.numel() or not all(bool(each.isfinite().all()) for each in found):
        return False
    size = max(float(each.abs().max()) for each in found)
    deviation = float((both - first - second).abs().max())
    allowed = max(coarse, _TOLERANCES.get(both.dtype, torch.inf))
    return deviation > allowed * max(size, _NOTHING)


def _returned(
    case: CheckContext,
    value: Tensor,
    gradient: Tensor,
    casts: AbstractContextManager[object] | None = None,
) -> list[Tensor]:
    tensors = case.subject.tensors
    # Cloned, because backward may write to it.
    incoming = gradient.clone()
    with casts or nullcontext():
        found = counted(
            case,
            lambda: torch.autograd.grad(
                value, tensors, incoming, retain_graph=True, allow_unused=True
            ),
        )
    return [each.clone() for each in to_dense_gradients(found, tensors)]


def _diagnosis(case: CheckContext, failure: _Failure, *, every: bool) -> Diagnosis:
    name = next(each.name for each in case.subject.inputs if each.position == failure.input)
    at_zero = "values" if failure.value_at_zero else "zeros"
    evidence = say(f"ignores_grad_output.evidence.{at_zero}", largest=failure.value_at_zero)
    return diagnosed(
        f"ignores_grad_output.{failure.kind}",
        about=(None if every else failure.output, failure.input, ""),
        evidence=(evidence,),
        input=name,
    )

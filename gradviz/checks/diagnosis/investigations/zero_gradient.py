"""Investigation of outputs without a gradient that change with an input, by their graph.

If no path leads from the output to the input, something has cut it. If there is a path, a pass
along it shows the custom Function that received a gradient and passed none on, and what it
returned instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.trial_run import (
    counted,
    gradients_like,
    to_dense_gradients,
    trial_run,
)
from gradviz.checks.gradient_paths import GradientStop, has_gradient_path, stop_of
from gradviz.checks.reference.without_detach import WithoutDetachMode
from gradviz.model.diagnosis import Diagnosis

_ROUNDING = {torch.float64: 1e-12, torch.complex128: 1e-12}
"""Rounding relative to the largest numerical value."""


def find_zero_gradients(case: DiagnosisCase) -> Iterator[Diagnosis]:
    """Examine the graph behind each pair whose analytical Jacobian is zero."""
    if case.subject.order != 1:
        return
    if any(each.code == "numerical_not_zero" for each in case.findings.problems):
        yield _without_gradient(case)
        return
    pairs = [each for each in case.pairs if _is_nothing(each) and not case.is_explained(each)]
    if not pairs or any(each.code == "gradient_form" for each in case.findings.problems):
        return
    found: list[Diagnosis] = []
    with trial_run(case) as attempt:
        outputs = case.ways.evaluate()
        unheard = _unheard(case, outputs)
        found = [_why(case, pair, outputs, unheard) for pair in pairs]
    if attempt.error is None:
        yield from {
            (each.code, each.output, each.input, each.part): each for each in found
        }.values()


def _is_nothing(pair: JacobianPair) -> bool:
    """Whether backward returns nothing, or only the rounding error of a sum that is zero."""
    if pair.analytical_is_zero:
        return True
    ours, theirs = (float(each.abs().max()) for each in (pair.analytical, pair.numerical))
    return ours < _ROUNDING.get(pair.analytical.dtype, 0.0) * theirs


def _why(
    case: DiagnosisCase, pair: JacobianPair, outputs: tuple[Any, ...], unheard: set[int]
) -> Diagnosis:
    output: Tensor = outputs[pair.block.output]
    target = _input_of(case, pair)
    if not has_gradient_path(output, target):
        return pair.diagnosis(
            "detached",
            f"{pair.output_name} changes with {pair.input_name}, but the graph does not "
            "connect them. Look for .detach(), .data, torch.no_grad(), .item() or NumPy.",
            evidence=(
                f"No path leads from {pair.output_name} to {pair.input_name} in the graph.",
                *_cuts(case),
            ),
        )
    if pair.block.output in unheard:
        return _ignored(pair)
    if _others_give(case, pair, outputs):
        return pair.diagnosis(
            "missing_term",
            f"The gradient of {pair.input_name} lacks a term: {pair.output_name} changes "
            f"with {pair.input_name}, but the gradient of {pair.output_name} contributes "
            "nothing.",
            confidence="likely",
            evidence=(
                f"Other outputs contribute to the gradient of {pair.input_name}, and "
                f"{pair.output_name} contributes to the gradients of other inputs.",
            ),
        )
    stop = stop_of(output, target, gradients_like(output, 1))
    return _dropped(pair, stop) if stop is not None else _cancelled(case, pair)


def _dropped(pair: JacobianPair, stop: GradientStop) -> Diagnosis:
    returned = "None" if stop.returned == "None" else "only zeros"
    return pair.diagnosis(
        "dropped_none" if stop.returned == "None" else "dropped_zero",
        f"{pair.output_name} changes with {pair.input_name}, but no gradient comes back: "
        f"the backward of {stop.function.__name__} returns {returned}.",
        evidence=(
            f"A nonzero gradient reached {stop.function.__name__}; for argument "
            f"{stop.argument} of forward, its backward returned {returned}.",
        ),
    )


def _ignored(pair: JacobianPair) -> Diagnosis:
    return pair.diagnosis(
        "ignores_grad_output",
        f"Backward does not use the gradient of {pair.output_name}: no input gets a "
        f"gradient from it, although {pair.output_name} changes with {pair.input_name}.",
        evidence=("The gradients of other outputs are used.",),
    )


def _cancelled(case: DiagnosisCase, pair: JacobianPair) -> Diagnosis:
    """Diagnose a zero gradient that no custom Function has dropped on its path."""
    cuts = _cuts(case)
    if cuts:
        return pair.diagnosis(
            "detached",
            f"{pair.output_name} changes with {pair.input_name}, but no gradient comes "
            "back: the part of the graph that would carry it is cut.",
            confidence="likely",
            evidence=cuts,
        )
    return pair.diagnosis(
        "dropped_zero",
        f"{pair.output_name} changes with {pair.input_name}, but the gradient that comes "
        "back is zero everywhere.",
        confidence="likely",
    )


def _without_gradient(case: DiagnosisCase) -> Diagnosis:
    said = next(each for each in case.findings.problems if each.code == "numerical_not_zero")
    return Diagnosis(
        code="detached",
        message=f"{said.message} The graph is cut: look for .detach(), .data, torch.no_grad(), "
        ".item() or NumPy in the function, or for mark_non_differentiable on an output "
        "that is differentiable.",
        output=None,
        input=None,
        evidence=_cuts(case),
    )


def _cuts(case: DiagnosisCase) -> tuple[str, ...]:
    """Sentences about the places where the graph is cut, from another run."""
    attached = WithoutDetachMode()
    with trial_run(case), attached:
        case.ways.evaluate()
    lines = dict.fromkeys((name, str(line)) for name, line in attached.cuts if line is not None)
    return tuple([f"{name} in {line} cuts the graph." for name, line in lines])


def _input_of(case: DiagnosisCase, pair: JacobianPair) -> Tensor:
    tensor: Tensor = case.subject.arguments[pair.block.input]
    return tensor


def _unheard(case: DiagnosisCase, outputs: tuple[Any, ...]) -> set[int]:
    """Outputs that give no input a gradient, if another output gives one."""
    given = {k: _gives(case, value) for k, value in differentiable(outputs)}
    return (
        {k for k, some in given.items() if not any(some)}
        if any(map(any, given.values()))
        else set()
    )


def _others_give(case: DiagnosisCase, pair: JacobianPair, outputs: tuple[Any, ...]) -> bool:
    """Whether other outputs give this input a gradient, and this output gives others one."""
    place = [each.position for each in case.subject.inputs].index(pair.block.input)
    given = {k: _gives(case, value) for k, value in differentiable(outputs)}
    others = any(some[place] for k, some in given.items() if k != pair.block.output)
    return others and any(given[pair.block.output])


def _gives(case: DiagnosisCase, value: Tensor) -> Sequence[bool]:
    tensors = case.subject.tensors
    found = counted(
        case,
        lambda: torch.autograd.grad(
            value, tensors, gradients_like(value, 1), retain_graph=True, allow_unused=True
        ),
    )
    return [bool(each.any()) for each in to_dense_gradients(found, tensors)]

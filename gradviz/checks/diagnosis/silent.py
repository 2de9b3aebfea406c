"""No gradient comes back from an output that changes with an input: None, zeros, or no way there.

The graph tells these apart. Where no route leads from the output to the input, something has cut
it; where one does, a pass along it shows at which custom Function a gradient arrived and none went
on, and what it returned instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.diagnosis.trial_run import counted, dense, gradients_like, trial_run
from gradviz.checks.reference.attached import Attached
from gradviz.checks.routes import Stop, leads_to, stop_of
from gradviz.model.diagnosis import Diagnosis

_ROUNDING = {torch.float64: 1e-12, torch.complex128: 1e-12}
"""Relative to the largest numerical number."""


def silent(case: Case) -> Iterator[Diagnosis]:
    """Looks at the graph behind each pair that is analytically zero."""
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


def _is_nothing(pair: Pair) -> bool:
    """Whether backward gives nothing, or what rounding leaves of a sum that is zero."""
    if pair.analytical_is_zero:
        return True
    ours, theirs = (float(each.abs().max()) for each in (pair.analytical, pair.numerical))
    return ours < _ROUNDING.get(pair.analytical.dtype, 0.0) * theirs


def _why(case: Case, pair: Pair, outputs: tuple[Any, ...], unheard: set[int]) -> Diagnosis:
    output: Tensor = outputs[pair.block.output]
    target = _input_of(case, pair)
    if not leads_to(output, target):
        return pair.diagnosis(
            "detached",
            f"{pair.output_name} changes with {pair.input_name}, but by its history it does not"
            " depend on it: .detach(), .data, torch.no_grad(), .item() or NumPy has cut the way.",
            evidence=(
                f"No route leads from {pair.output_name} to {pair.input_name} in the graph.",
                *_cuts(case),
            ),
        )
    if pair.block.output in unheard:
        return _ignored(pair)
    if _others_give(case, pair, outputs):
        return pair.diagnosis(
            "missing_term",
            f"What arrives at {pair.output_name} adds nothing to the gradient of"
            f" {pair.input_name}, although {pair.output_name} changes with it: the gradient of"
            f" {pair.input_name} lacks the term with the gradient of {pair.output_name}.",
            confidence="likely",
            evidence=(
                f"Other outputs do give {pair.input_name} a gradient, and {pair.output_name} gives"
                " other inputs one.",
            ),
        )
    stop = stop_of(output, target, gradients_like(output, 1))
    return _dropped(pair, stop) if stop is not None else _cancelled(case, pair)


def _dropped(pair: Pair, stop: Stop) -> Diagnosis:
    returned = "None" if stop.returned == "None" else "nothing but zeros"
    return pair.diagnosis(
        "dropped_none" if stop.returned == "None" else "dropped_zero",
        f"{pair.output_name} changes with {pair.input_name}, yet backward of"
        f" {stop.function.__name__} returns {returned} for it.",
        evidence=(
            f"A gradient other than zero arrived at {stop.function.__name__}; for argument"
            f" {stop.argument} of forward it returned {returned}.",
        ),
    )


def _ignored(pair: Pair) -> Diagnosis:
    return pair.diagnosis(
        "ignores_grad_output",
        f"Backward does not use what arrives at {pair.output_name}: no input gets a gradient from"
        f" it, although {pair.output_name} changes with {pair.input_name}.",
        evidence=("The gradients that arrive at other outputs are used.",),
    )


def _cancelled(case: Case, pair: Pair) -> Diagnosis:
    """A route is there, and no custom Function is to blame."""
    cuts = _cuts(case)
    if cuts:
        return pair.diagnosis(
            "detached",
            f"{pair.output_name} changes with {pair.input_name}, yet no gradient comes back:"
            " the part of the way that carries it is cut.",
            confidence="likely",
            evidence=cuts,
        )
    return pair.diagnosis(
        "dropped_zero",
        f"{pair.output_name} changes with {pair.input_name}, yet the gradient that comes back is"
        " zero everywhere.",
        confidence="likely",
    )


def _without_gradient(case: Case) -> Diagnosis:
    said = next(each for each in case.findings.problems if each.code == "numerical_not_zero")
    return Diagnosis(
        code="detached",
        message=f"{said.message} The way to it is cut: .detach(), .data, torch.no_grad(), .item()"
        " or NumPy in the function, or mark_non_differentiable for a real output.",
        output=None,
        input=None,
        evidence=_cuts(case),
    )


def _cuts(case: Case) -> tuple[str, ...]:
    """Where the history is cut, as far as running the function again shows that."""
    attached = Attached()
    with trial_run(case), attached:
        case.ways.evaluate()
    lines = dict.fromkeys((name, str(line)) for name, line in attached.cuts if line is not None)
    return tuple([f"{name} in {line} cuts the history." for name, line in lines])


def _input_of(case: Case, pair: Pair) -> Tensor:
    tensor: Tensor = case.subject.arguments[pair.block.input]
    return tensor


def _unheard(case: Case, outputs: tuple[Any, ...]) -> set[int]:
    """Outputs from which no input gets a gradient, where another output gives some."""
    given = {k: _gives(case, value) for k, value in differentiable(outputs)}
    return (
        {k for k, some in given.items() if not any(some)}
        if any(map(any, given.values()))
        else set()
    )


def _others_give(case: Case, pair: Pair, outputs: tuple[Any, ...]) -> bool:
    """Whether other outputs give this input a gradient, and this output other inputs."""
    place = [each.position for each in case.subject.inputs].index(pair.block.input)
    given = {k: _gives(case, value) for k, value in differentiable(outputs)}
    others = any(some[place] for k, some in given.items() if k != pair.block.output)
    return others and any(given[pair.block.output])


def _gives(case: Case, value: Tensor) -> Sequence[bool]:
    tensors = case.subject.tensors
    found = counted(
        case,
        lambda: torch.autograd.grad(
            value, tensors, gradients_like(value, 1), retain_graph=True, allow_unused=True
        ),
    )
    return [bool(each.any()) for each in dense(found, tensors)]

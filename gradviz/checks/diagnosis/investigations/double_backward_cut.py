"""Investigation of lost second derivatives: backward uses a value without history.

If a pair is zero analytically but not numerically, the case is clear. If only a part is lost, the
values can look like any mistake. But torch differentiates its own operations correctly, so if
backward consists of those, or of Functions whose first derivatives are correct, a cut is the only
explanation left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.backward_function import BackwardFunction
from gradviz.checks.backward_nodes import custom_name, nodes_of
from gradviz.checks.backward_rules import differentiable
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.diagnosis.support.trial_run import trial_run
from gradviz.checks.random_tensors import RandomTensors
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis

# About the cube root of float64's precision, the best step for central differences.
_STEP = 1e-5
_ALLOWED = 1e-5


def first_order_is_right(call: Callable[[], tuple[Any, ...]], inputs: Sequence[Tensor]) -> bool:
    """Whether one directional derivative agrees with its central difference.

    Args:
        call: Returns the outputs for the current inputs; moved inputs are restored afterwards.
        inputs: Leaves of dtype float64; for any other dtype the answer is False.
    """
    if any(each.dtype is not torch.float64 for each in inputs):
        return False
    drawn = RandomTensors(3)
    outputs = [value for _, value in differentiable(call())]
    if any(each.dtype is not torch.float64 for each in outputs):
        return False
    weights = [drawn.like(each) for each in outputs]
    along = [drawn.like(each) for each in inputs]
    gradients: Sequence[Tensor | None] = torch.autograd.grad(
        outputs, inputs, weights, allow_unused=True
    )
    pairs = zip(gradients, along, strict=True)
    expected = sum(float((g * u).sum()) for g, u in pairs if g is not None)

    def moved(step: float) -> float:
        for each, direction in zip(inputs, along, strict=True):
            each.data.add_(direction, alpha=step)
        values = [value for _, value in differentiable(call())]
        found = sum(float((v.detach() * w).sum()) for v, w in zip(values, weights, strict=True))
        for each, direction in zip(inputs, along, strict=True):
            each.data.add_(direction, alpha=-step)
        return found

    slope = (moved(_STEP) - moved(-_STEP)) / (2 * _STEP)
    return abs(slope - expected) <= _ALLOWED * max(1.0, abs(slope))


@yields("double_backward_cut")
def find_double_backward_cut(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose each second-order pair that has lost all or part of its autograd history."""
    if case.subject.order != 2:
        return
    if any(each.code == "numerical_not_zero" for each in case.findings.problems):
        yield _no_history_at_all(case)
        return
    pairs = [each for each in case.pairs if not case.is_explained(each)]
    if not pairs:
        return
    evidence, rest_is_right = _looked_at(case)
    for pair in pairs:
        if pair.analytical_is_zero and not pair.numerical_is_zero:
            yield pair.diagnosis("double_backward_cut.all", evidence=evidence)
        elif rest_is_right and _is_finite(pair):
            yield pair.diagnosis("double_backward_cut.part", confidence="likely", evidence=evidence)


def _is_finite(pair: JacobianPair) -> bool:
    return bool(pair.analytical.isfinite().all() and pair.numerical.isfinite().all())


def cut_on_purpose(names: Sequence[str]) -> Diagnosis:
    """Diagnosis for Functions whose backward is marked ``once_differentiable``."""
    which = say_list(names) if names else say("double_backward_cut.once.custom")
    return diagnosed(
        "double_backward_cut.once",
        evidence=(say("double_backward_cut.once.evidence"),),
        functions=which,
    )


def _no_history_at_all(case: CheckContext) -> Diagnosis:
    return diagnosed(
        "double_backward_cut.none",
        evidence=tuple(
            each.message for each in case.findings.problems if each.code == "numerical_not_zero"
        ),
    )


def _looked_at(case: CheckContext) -> tuple[tuple[str, ...], bool]:
    """Evidence of values without history; whether all other derivatives are known correct."""
    gradients_of = case.subject.function
    if not isinstance(gradients_of, BackwardFunction):
        return (), False
    evidence: tuple[str, ...] = ()
    right = False
    with trial_run(case) as attempt, torch.enable_grad():
        case.evaluations.expect(5)
        gradients = [value for _, value in differentiable(case.evaluator.evaluate())]
        arguments = case.subject.arguments[: gradients_of.count]
        outputs = [value for _, value in differentiable(gradients_of.outputs(arguments))]
        evidence = tuple(_without_history(arguments, outputs))
        within = _customs(gradients)
        written = _customs(outputs)
        # Without a custom Function, backward is torch's own and cuts nothing.
        right = bool(written) and not within
        if within and within <= written:  # Forward's own nodes, reached through a saved output.
            inputs = [each for each in arguments if isinstance(each, Tensor) and each.requires_grad]
            right = first_order_is_right(lambda: gradients_of.outputs(arguments), inputs)
    return evidence, right and attempt.error is None


def _customs(tensors: Sequence[Tensor]) -> set[type]:
    return {type(node) for node in nodes_of(tensors) if custom_name(node)}


def _without_history(arguments: Sequence[Any], outputs: Sequence[Tensor]) -> Iterator[str]:
    """Sentences about tensors that forward saved without history, except for arguments."""
    # A leaf has no grad_fn either, but it has lost nothing.
    known = {each.data_ptr() for each in arguments if isinstance(each, Tensor)}
    for node in nodes_of(outputs):
        if name := custom_name(node):
            for key, place, value in _left(node):
                if value.grad_fn is None and value.data_ptr() not in known:
                    shape = "x".join(map(str, value.shape)) or say("double_backward_cut.scalar")
                    yield say(key, place=place, function=name, shape=shape)


def _left(node: Any) -> Iterator[tuple[str, int | str, Tensor]]:
    """The template for each saved tensor, its index or attribute, and the tensor."""
    for k, value in enumerate(node.saved_tensors):
        if isinstance(value, Tensor) and value.is_floating_point():
            yield "double_backward_cut.saved", k, value
    for name, value in vars(node).items():
        if isinstance(value, Tensor) and value.is_floating_point():
            yield "double_backward_cut.attribute", name, value

"""Forward and backward runs of a function on other arguments, and their results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.arguments import DifferentiatedInput, differentiated_inputs, restore_arguments
from gradviz.checks.backward_function import differentiable
from gradviz.checks.battery.trials import RandomGradients
from gradviz.checks.names import callable_of, output_names
from gradviz.checks.output_parts import as_tuple, is_continuous
from gradviz.checks.problem_messages import UserCodeAttempt
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.run.progress import Evaluations
from gradviz.checks.subject import CheckSubject
from gradviz.model.jacobian_report import JacobianReport
from gradviz.recorder.accelerators import RandomStates, random_states
from gradviz.recorder.patching.signals import calls_user_code

Arguments = tuple[Any, ...]

Recheck = Callable[[Arguments], JacobianReport]
"""Callable that checks the Jacobians of the same function on other arguments, nothing else."""


@dataclass(slots=True, kw_only=True)
class VariationRun:
    """Result of one forward and, if requested, one backward from random gradients.

    Attributes:
        numbers: Copies of the outputs that are floating-point or complex tensors.
        names: Names of these outputs.
        is_differentiable: Whether an output requires a gradient.
        refused: What forward raised.
        gradients: Gradients of the inputs; empty without a backward.
        error: What backward raised.
        draws: Whether forward drew random numbers.
    """

    numbers: tuple[Tensor, ...] = ()
    names: tuple[str, ...] = ()
    is_differentiable: bool = False
    refused: Exception | None = None
    gradients: tuple[Tensor | None, ...] = ()
    error: Exception | None = None
    draws: bool = False

    @property
    def is_finite(self) -> bool:
        """Whether all outputs are free of Inf and NaN."""
        return all(bool(each.isfinite().all()) for each in self.numbers)


class VariationRunner:
    """Runner of one function on any arguments.

    Attributes:
        fixed: Positions of arguments whose sizes cannot vary.
    """

    def __init__(self, subject: CheckSubject, evaluations: Evaluations) -> None:
        self._call = callable_of(subject.function)
        self._names = subject.names
        self.fixed = subject.fixed
        self._evaluations = evaluations

    def inputs(self, arguments: Arguments) -> tuple[DifferentiatedInput, ...]:
        """The arguments that require a gradient."""
        return differentiated_inputs(arguments, self._names)

    def forward(self, arguments: Arguments) -> VariationRun:
        """Run forward only, and restore the arguments' values."""
        with same_random_state(), restore_arguments(arguments):
            return self._forward(arguments)[0]

    @calls_user_code
    def both(self, arguments: Arguments) -> VariationRun:
        """Run forward and backward, and restore the arguments' values."""
        with same_random_state(), restore_arguments(arguments):
            run, outputs = self._forward(arguments)
            inputs = [each.tensor for each in self.inputs(arguments)]
            if run.is_differentiable and inputs:
                self._evaluations.expect(1)
                self._evaluations.begin()
                with UserCodeAttempt() as attempt:
                    run.gradients = torch.autograd.grad(
                        outputs, inputs, RandomGradients()(outputs), allow_unused=True
                    )
                run.error = attempt.error
        return run

    @calls_user_code
    def _forward(self, arguments: Arguments) -> tuple[VariationRun, list[Tensor]]:
        """Run forward; return the result and the differentiable outputs."""
        self._evaluations.expect(1)
        self._evaluations.begin()
        outputs: tuple[Any, ...] = ()
        before = random_states()
        with UserCodeAttempt() as attempt:
            outputs = as_tuple(self._call(*arguments))
        chosen = [value for _, value in differentiable(outputs)]
        named = zip(output_names(outputs), outputs, strict=True)
        run = VariationRun(
            names=tuple(name for name, each in named if is_continuous(each)),
            numbers=tuple(
                each.detach().to_dense().clone() for each in outputs if is_continuous(each)
            ),
            is_differentiable=bool(chosen),
            refused=attempt.error,
            draws=_differ(before, random_states()),
        )
        return run, chosen


def _differ(before: RandomStates, after: RandomStates) -> bool:
    """Whether a generator was used; one that was not in use before does not count."""
    pairs = zip(before, after, strict=False)
    return any(not torch.equal(one, other) for (_, one), (_, other) in pairs)


def leaf(tensor: Tensor, like: Tensor) -> Tensor:
    """Detach a tensor and make it a leaf argument in place of another."""
    return tensor.detach().requires_grad_(like.requires_grad and is_continuous(tensor))

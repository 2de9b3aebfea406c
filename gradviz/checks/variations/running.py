"""Runs a function on other arguments, forward and backward, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.arguments import Wanted, put_back, wanted
from gradviz.checks.attempt import Attempt
from gradviz.checks.backward_rules import differentiable
from gradviz.checks.battery.trials import random_gradients
from gradviz.checks.chance import same_chance
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.names import function_class, output_names
from gradviz.checks.parts import as_tuple, is_continuous
from gradviz.checks.subject import Subject
from gradviz.model.jacobian import JacobianReport

Arguments = tuple[Any, ...]

Recheck = Callable[[Arguments], JacobianReport]
"""Checks the Jacobians of the same function on other arguments, without anything besides."""


@dataclass(slots=True, kw_only=True)
class Run:
    """One forward, and where it was asked for, one backward from random gradients.

    Attributes:
        numbers: Copies of the outputs that are floating-point or complex tensors.
        names: Of these outputs.
        is_differentiable: Whether an output has a gradient.
        refused: What forward raised.
        gradients: Of the inputs; empty without a backward.
        error: What backward raised.
        draws: Whether forward took random numbers.
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
        """Whether no output is Inf or NaN."""
        return all(bool(each.isfinite().all()) for each in self.numbers)


class Runner:
    """Runs one function on any arguments.

    Args:
        subject: What is checked.
        evaluations: Counts, and ends the check when it is cancelled.
    """

    def __init__(self, subject: Subject, evaluations: Evaluations) -> None:
        cls = function_class(subject.function)
        self._call: Callable[..., Any] = subject.function if cls is None else cls.apply
        self._names = subject.names
        self._evaluations = evaluations

    def inputs(self, arguments: Arguments) -> tuple[Wanted, ...]:
        """Those that are differentiated."""
        return wanted(arguments, self._names)

    def forward(self, arguments: Arguments) -> Run:
        """Forward alone; the arguments have their values back afterwards."""
        with same_chance(_tensors(arguments)), put_back(arguments):
            return self._forward(arguments)[0]

    def both(self, arguments: Arguments) -> Run:
        """Forward and backward, likewise."""
        with same_chance(_tensors(arguments)), put_back(arguments):
            run, outputs = self._forward(arguments)
            inputs = [each.tensor for each in self.inputs(arguments)]
            if run.is_differentiable and inputs:
                self._evaluations.expect(1)
                self._evaluations.begin()
                with Attempt() as attempt:
                    run.gradients = torch.autograd.grad(
                        outputs, inputs, random_gradients(outputs), allow_unused=True
                    )
                run.error = attempt.error
        return run

    def _forward(self, arguments: Arguments) -> tuple[Run, list[Tensor]]:
        """A run, and the outputs that are differentiable."""
        self._evaluations.expect(1)
        self._evaluations.begin()
        outputs: tuple[Any, ...] = ()
        before = torch.get_rng_state()
        with Attempt() as attempt:
            outputs = as_tuple(self._call(*arguments))
        chosen = [value for _, value in differentiable(outputs)]
        named = zip(output_names(len(outputs)), outputs, strict=True)
        run = Run(
            names=tuple(name for name, each in named if is_continuous(each)),
            numbers=tuple(
                each.detach().to_dense().clone() for each in outputs if is_continuous(each)
            ),
            is_differentiable=bool(chosen),
            refused=attempt.error,
            draws=not torch.equal(before, torch.get_rng_state()),
        )
        return run, chosen


def _tensors(arguments: Sequence[Any]) -> list[Tensor]:
    return [each for each in arguments if isinstance(each, Tensor)]


def leaf(tensor: Tensor, like: Tensor) -> Tensor:
    """A tensor as an argument in place of another."""
    return tensor.detach().requires_grad_(like.requires_grad and is_continuous(tensor))

"""Runs a checked function and its backward, each with a seed, on its own or on other arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.backward_rules import differentiable
from gradviz.checks.evaluations import Evaluations
from gradviz.checks.names import function_class
from gradviz.checks.parts import as_tuple
from gradviz.checks.probes.seeds import seeded
from gradviz.checks.subject import Subject


class Runs:
    """Counted runs of a subject; what they raise goes to the caller."""

    def __init__(self, subject: Subject, evaluations: Evaluations) -> None:
        self._subject = subject
        self._evaluations = evaluations
        self._call = callable_of(subject)
        self._incoming: list[Tensor] = []

    def forward(self, seed: int, arguments: Sequence[Any] | None = None) -> tuple[Any, ...]:
        """The outputs; for other arguments than the subject's own where some are given."""
        self._evaluations.begin()
        chosen = self._subject.arguments if arguments is None else arguments
        with seeded(seed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return as_tuple(self._call(*chosen))

    def backward(self, outputs: tuple[Any, ...], seed: int) -> tuple[Tensor | None, ...]:
        """The gradients of the inputs for always the same random incoming gradients."""
        self._evaluations.begin()
        chosen = [value for _, value in differentiable(outputs)]
        if not self._incoming:
            self._incoming = [_incoming(value, k) for k, value in enumerate(chosen)]
        incoming = [each.clone() for each in self._incoming]
        with seeded(seed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Sequence[Tensor | None] = torch.autograd.grad(
                chosen, self._subject.tensors, incoming, retain_graph=True, allow_unused=True
            )
        return tuple(None if each is None else each.detach().to_dense().clone() for each in found)


def callable_of(subject: Subject) -> Callable[..., Any]:
    """What is called: a custom Function's ``apply``."""
    cls = function_class(subject.function)
    return subject.function if cls is None else cls.apply


def values_of(outputs: tuple[Any, ...]) -> list[Tensor]:
    """Copies of the differentiable outputs, without their history."""
    return [value.detach().to_dense().clone() for _, value in differentiable(outputs)]


def other_arguments(arguments: Sequence[Any], factor: float) -> list[Any]:
    """Clones with other values in every tensor of numbers.

    Args:
        arguments: Of the function.
        factor: Of the values; at 0.75 they mostly stay where a function is defined, at -0.75 they
            have other signs and another order too.
    """
    return [_other(each, factor) for each in arguments]


def _other(argument: Any, factor: float) -> Any:
    if not isinstance(argument, Tensor):
        return argument
    copy = argument.detach().clone()
    if copy.is_floating_point() or copy.is_complex():
        copy = copy * factor + 0.25 * (copy == 0)
    return copy.requires_grad_(argument.requires_grad)


def _incoming(output: Tensor, seed: int) -> Tensor:
    generator = torch.Generator("cpu").manual_seed(seed)
    drawn = torch.randn(
        output.shape, generator=generator, dtype=_drawn_dtype(output.dtype), device="cpu"
    )
    return drawn.to(output.device, output.dtype)


def _drawn_dtype(dtype: torch.dtype) -> torch.dtype:
    return torch.complex128 if dtype.is_complex else torch.float64

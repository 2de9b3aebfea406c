"""Seeded runs of a checked function and its backward, with its own or other arguments."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gradviz.checks.backward_rules import differentiable
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.run.progress import Evaluations
from gradviz.checks.subject import CheckSubject
from gradviz.recorder.accelerators import accelerator_in_use
from gradviz.recorder.patching.signals import calls_user_code


def seed_random_generators(seed: int) -> None:
    """Seed the generators of torch, NumPy and Python."""
    # torch.manual_seed would leave a pending seed behind for an accelerator not in use yet.
    (torch.manual_seed if accelerator_in_use() else torch.default_generator.manual_seed)(seed)
    random.seed(seed)
    np.random.seed(seed)


@contextmanager
def seeded_runs(subject: CheckSubject, evaluations: Evaluations) -> Iterator[SeededRuns]:
    """Yield a `SeededRuns`, and restore the random generators on exit."""
    with same_random_state():
        yield SeededRuns(subject, evaluations)


class SeededRuns:
    """Runs of a subject that are counted; exceptions propagate to the caller.

    Each run seeds the random generators; see `seeded_runs`.
    """

    def __init__(self, subject: CheckSubject, evaluations: Evaluations) -> None:
        self._subject = subject
        self._evaluations = evaluations
        self._call = callable_of(subject)
        self._incoming: list[Tensor] = []

    @calls_user_code
    def forward(self, seed: int, arguments: Sequence[Any] | None = None) -> tuple[Any, ...]:
        """Outputs for the given arguments; those of the subject by default."""
        self._evaluations.begin()
        chosen = self._subject.arguments if arguments is None else arguments
        seed_random_generators(seed)
        with warnings.catch_warnings():
            # The check itself has shown these warnings already.
            warnings.simplefilter("ignore")
            return as_tuple(self._call(*chosen))

    @calls_user_code
    def backward(self, outputs: tuple[Any, ...], seed: int) -> tuple[Tensor | None, ...]:
        """Gradients of the inputs for random incoming gradients, the same in every call."""
        self._evaluations.begin()
        chosen = [value for _, value in differentiable(outputs)]
        if not self._incoming:
            self._incoming = [_incoming(value, k) for k, value in enumerate(chosen)]
        # Cloned, because backward may write to its incoming gradient.
        incoming = [each.clone() for each in self._incoming]
        seed_random_generators(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Sequence[Tensor | None] = torch.autograd.grad(
                chosen, self._subject.tensors, incoming, retain_graph=True, allow_unused=True
            )
        return tuple(None if each is None else each.detach().to_dense().clone() for each in found)


def callable_of(subject: CheckSubject) -> Callable[..., Any]:
    """The callable of a subject; ``apply`` for a custom Function."""
    cls = function_class(subject.function)
    return subject.function if cls is None else cls.apply


def values_of(outputs: tuple[Any, ...]) -> list[Tensor]:
    """Copies of the differentiable outputs without history."""
    return [value.detach().to_dense().clone() for _, value in differentiable(outputs)]


def other_arguments(arguments: Sequence[Any], factor: float) -> list[Any]:
    """Copies of the arguments with other values in all floating-point and complex tensors.

    Args:
        arguments: Arguments of the function.
        factor: Factor of the values. With 0.75 they usually stay where the function is defined;
            with -0.75, signs and order change too.
    """
    return [_other(each, factor) for each in arguments]


def _other(argument: Any, factor: float) -> Any:
    if not isinstance(argument, Tensor):
        return argument
    copy = argument.detach().clone()
    if copy.is_floating_point() or copy.is_complex():
        # A zero would stay the same.
        copy = copy * factor + 0.25 * (copy == 0)
    return copy.requires_grad_(argument.requires_grad)


def _incoming(output: Tensor, seed: int) -> Tensor:
    # Drawn on the CPU, so that every device gets the same values.
    generator = torch.Generator("cpu").manual_seed(seed)
    drawn = torch.randn(
        output.shape, generator=generator, dtype=_drawn_dtype(output.dtype), device="cpu"
    )
    return drawn.to(output.device, output.dtype)


def _drawn_dtype(dtype: torch.dtype) -> torch.dtype:
    return torch.complex128 if dtype.is_complex else torch.float64

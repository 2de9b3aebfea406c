"""The arguments of a check: which are differentiated, and how to restore their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeGuard

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class DifferentiatedInput:
    """An argument with respect to which the function is differentiated."""

    position: int
    name: str
    tensor: Tensor


def requires_grad(value: object) -> TypeGuard[Tensor]:
    """Whether a value is a tensor that requires a gradient."""
    return isinstance(value, Tensor) and value.requires_grad


def differentiated_inputs(
    arguments: Sequence[Any], names: Sequence[str]
) -> tuple[DifferentiatedInput, ...]:
    """The arguments that are tensors and require a gradient."""
    return tuple(
        DifferentiatedInput(position, name, value)
        for position, (name, value) in enumerate(zip(names, arguments, strict=True))
        if requires_grad(value)
    )


def overlaps(tensor: Tensor) -> bool:
    """Whether a dimension has stride 0, gradcheck's criterion for overlapping memory."""
    if tensor.layout is not torch.strided or tensor.is_nested:
        return False
    sizes = zip(tensor.stride(), tensor.shape, strict=True)
    return any(stride == 0 and size > 1 for stride, size in sizes)


@contextmanager
def restore_arguments(arguments: Sequence[Any]) -> Iterator[None]:
    """Restore the values of every dense tensor argument on exit, even after an exception."""
    kept = [
        # Through `.data`: neither autograd nor the version counter notices that they are restored.
        (each.data, each.data.clone())
        for each in arguments
        # Torch refuses to write to an expanded tensor.
        if isinstance(each, Tensor) and each.layout == torch.strided and not overlaps(each)
    ]
    try:
        yield
    finally:
        for data, before in kept:
            data.copy_(before)

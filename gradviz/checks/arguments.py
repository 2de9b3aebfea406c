"""The arguments of a check: which are differentiated, and how they are put back afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Wanted:
    """An argument with respect to which the function is differentiated.

    Attributes:
        position: Among the arguments.
        name: As the function's author calls it.
        tensor: The argument itself.
    """

    position: int
    name: str
    tensor: Tensor


def wanted(arguments: Sequence[Any], names: Sequence[str]) -> tuple[Wanted, ...]:
    """Those arguments that are tensors and require a gradient."""
    return tuple(
        Wanted(position, name, value)
        for position, (name, value) in enumerate(zip(names, arguments, strict=True))
        if isinstance(value, Tensor) and value.requires_grad
    )


def overlaps(tensor: Tensor) -> bool:
    """Whether some dimension has stride 0, gradcheck's sign of elements that share memory."""
    if tensor.layout is not torch.strided:
        return False
    sizes = zip(tensor.stride(), tensor.shape, strict=True)
    return any(stride == 0 and size > 1 for stride, size in sizes)


@contextmanager
def put_back(arguments: Sequence[Any]) -> Iterator[None]:
    """Gives every dense tensor argument its values back, whatever happens in between."""
    kept = [
        (each.data, each.data.clone())
        for each in arguments
        if isinstance(each, Tensor) and each.layout == torch.strided and not overlaps(each)
    ]
    try:
        yield
    finally:
        for data, before in kept:
            data.copy_(before)

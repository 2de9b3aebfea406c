"""What of a function's outputs is checked: each differentiable one, a complex one in two parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An output, or the real or imaginary part of a complex one.

    Attributes:
        output: Position among the function's outputs.
        part: Empty for an output that is not complex.
        shape: Sizes of the output.
        dtype: Of the part, so a real one.
    """

    output: int
    part: Literal["", "real", "imag"]
    shape: torch.Size
    dtype: torch.dtype

    def of(self, outputs: tuple[Any, ...]) -> Tensor:
        """The part itself, taken from what the function returned."""
        value: Tensor = outputs[self.output]
        if self.part == "imag":
            return torch.imag(value)
        return torch.real(value) if self.part == "real" else value


def as_tuple(returned: Any) -> tuple[Any, ...]:
    """What a function returned, as its outputs."""
    return tuple(returned) if isinstance(returned, tuple | list) else (returned,)


def is_continuous(value: object) -> bool:
    """Whether a value is a tensor of a floating-point or complex type."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def parts_of(outputs: tuple[Any, ...], *, differentiable: bool) -> tuple[Part, ...]:
    """All parts to be checked, in gradcheck's order: imaginary parts in the first of two rounds.

    Args:
        outputs: What the function returned.
        differentiable: Leaves out what has no gradient; else every continuous output has its part.
    """
    chosen = [
        (position, value)
        for position, value in enumerate(outputs)
        if is_continuous(value) and (value.requires_grad or not differentiable)
    ]
    first = [_part(k, value, "imag" if value.is_complex() else "") for k, value in chosen]
    second = [_part(k, value, "real") for k, value in chosen if value.is_complex()]
    return (*first, *second)


def _part(position: int, value: Tensor, part: Literal["", "real", "imag"]) -> Part:
    dtype = value.dtype.to_real() if value.is_complex() else value.dtype
    return Part(output=position, part=part, shape=value.shape, dtype=dtype)

"""The parts of a function's outputs that are checked; a complex output has two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputPart:
    """An output, or the real or imaginary part of a complex one.

    Attributes:
        output: Position among the function's outputs.
        part: ``real`` or ``imag`` for a complex output, else empty.
        shape: Shape of the output.
        dtype: The part's dtype, which is always real.
        device: The output's device, which may be another than the inputs'.
    """

    output: int
    part: Literal["", "real", "imag"]
    shape: torch.Size
    dtype: torch.dtype
    device: torch.device

    def of(self, outputs: tuple[Any, ...]) -> Tensor:
        """Take this part from what the function returned."""
        value: Tensor = outputs[self.output]
        if self.part == "imag":
            return torch.imag(value)
        return torch.real(value) if self.part == "real" else value


def as_tuple(returned: Any) -> tuple[Any, ...]:
    """What a function returned, as a tuple of outputs."""
    return tuple(returned) if isinstance(returned, tuple | list) else (returned,)


def is_continuous(value: object) -> bool:
    """Whether a value is a floating-point or complex tensor."""
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def parts_of(outputs: tuple[Any, ...], *, differentiable: bool) -> tuple[OutputPart, ...]:
    """All parts to check, in gradcheck's order: first imaginary parts, then real ones.

    Args:
        outputs: What the function returned.
        differentiable: Whether to skip outputs that do not require a gradient; otherwise every
            floating-point or complex output is included.
    """
    chosen = [
        (position, value)
        for position, value in enumerate(outputs)
        if is_continuous(value) and (value.requires_grad or not differentiable)
    ]
    first = [_part(k, value, "imag" if value.is_complex() else "") for k, value in chosen]
    second = [_part(k, value, "real") for k, value in chosen if value.is_complex()]
    return (*first, *second)


def _part(position: int, value: Tensor, part: Literal["", "real", "imag"]) -> OutputPart:
    dtype = value.dtype.to_real() if value.is_complex() else value.dtype
    return OutputPart(
        output=position, part=part, shape=value.shape, dtype=dtype, device=value.device
    )

"""Arguments as dual numbers, for forward mode; complex ones in two rounds, as gradcheck has them.

Source: ``_get_analytical_jacobian_forward_ad`` and ``_real_and_imag_input`` in
torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Literal

import torch
from torch import Tensor
from torch.autograd import forward_ad

from gradviz.checks.matrices import new_matrix
from gradviz.checks.parts import is_continuous

Round = Literal["", "imag", "real"]
"""Which part of complex inputs has a tangent; empty where no input is complex."""

Call = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Runs the function once on other arguments."""


def rounds_of(inputs: Sequence[Tensor]) -> tuple[Round, ...]:
    """Two rounds where an input is complex, in gradcheck's order; else one."""
    return ("imag", "real") if any(each.is_complex() for each in inputs) else ("",)


class Duals:
    """The arguments of a function, those that are differentiated with tangents of zeros.

    Good inside of one ``forward_ad.dual_level()``.

    Attributes:
        tangents: Of the inputs in order; what is written into them is what the function sees.
    """

    def __init__(self, arguments: Sequence[Any], this_round: Round) -> None:
        self._arguments = arguments
        self._round = this_round
        self._duals: dict[int, Tensor] = {}
        self.tangents: list[Tensor] = []
        for position, value in enumerate(arguments):
            if isinstance(value, Tensor) and value.requires_grad:
                self._duals[position] = dual = _with_zeros(self._base(value))
                self.tangents.append(forward_ad.unpack_dual(dual).tangent)

    def positions(self) -> list[int]:
        """Of the arguments with a tangent."""
        return list(self._duals)

    def values(self) -> list[Any]:
        """What the function is called with."""
        return self.values_with({})

    def without_tangent(self, position: int, *, zeros: bool) -> list[Any]:
        """The same, one argument with fresh zeros for its tangent, or with no tangent at all."""
        base = self._base(self._arguments[position])
        return self.values_with({position: _with_zeros(base) if zeros else base})

    def values_with(self, others: dict[int, Tensor]) -> list[Any]:
        """The same, some arguments replaced by others."""
        chosen = {**self._duals, **others}
        return [
            self._whole(value, chosen[k]) if k in chosen else value
            for k, value in enumerate(self._arguments)
        ]

    def _base(self, value: Tensor) -> Tensor:
        if value.layout is not torch.strided:
            raise ValueError(f"forward mode takes dense inputs only, and this is {value.layout}")
        if value.is_complex():
            value = value.imag if self._round == "imag" else value.real
        return value.detach()

    def _whole(self, value: Tensor, part: Tensor) -> Tensor:
        """The argument that has this part, in place of its own part."""
        if not value.is_complex():
            return part
        return value.real + part * 1j if self._round == "imag" else part + value.imag * 1j


def forward_jacobian(
    call: Call, arguments: Sequence[Any], which: int, outputs: dict[int, Tensor], this_round: Round
) -> dict[int, Tensor]:
    """The Jacobian of each output with respect to one input, one evaluation for each element.

    Args:
        call: Runs the function.
        arguments: Its arguments.
        which: Index of the input among those that are differentiated.
        outputs: What is differentiated, by position.
        this_round: Which part of complex inputs is moved.

    Returns:
        By position ``[input elements, output elements]``, of the output's type.
    """
    with forward_ad.dual_level():
        duals = Duals(arguments, this_round)
        tangent = duals.tangents[which]
        found = {
            k: new_matrix(each, tangent.numel(), each.numel(), each.dtype)
            for k, each in outputs.items()
        }
        for row, index in enumerate(product(*map(range, tangent.shape))):
            tangent[index] = 1.0
            made = call(duals.values())
            for k, matrix in found.items():
                copy_tangent(made[k], matrix[row])
            tangent[index] = 0.0
    return found


def copy_tangent(output: Any, row: Tensor) -> None:
    """Copies an output's tangent into a row: zeros where it has none."""
    tangent = forward_ad.unpack_dual(output).tangent if is_continuous(output) else None
    if tangent is None:
        row.zero_()
    else:
        row.copy_(tangent.detach().reshape(-1))


def _with_zeros(base: Tensor) -> Tensor:
    # Read back: of a view, the dual's tangent need not be the tensor that was handed over.
    dual: Tensor = forward_ad.make_dual(base, torch.zeros_like(base))
    return dual

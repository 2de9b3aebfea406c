"""Arguments as dual numbers for forward mode, with two rounds for complex inputs.

Source: ``_get_analytical_jacobian_forward_ad`` and ``_real_and_imag_input`` in
torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any, Literal

import torch
from torch import Tensor
from torch.autograd import forward_ad

from gradviz.catalogue.messages import say
from gradviz.checks.jacobians.matrices import new_matrix
from gradviz.checks.output_parts import is_continuous
from gradviz.recorder.patching.signals import calls_user_code

TangentRound = Literal["", "imag", "real"]
"""Which part of complex inputs has a tangent; empty if no input is complex."""

DualCall = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Callable that runs the function once on the given arguments."""


def rounds_of(inputs: Sequence[Tensor]) -> tuple[TangentRound, ...]:
    """Two rounds, in gradcheck's order, if any input is complex; otherwise one."""
    return ("imag", "real") if any(each.is_complex() for each in inputs) else ("",)


class DualArguments:
    """The arguments of a function, with zero tangents for those that are differentiated.

    Valid inside a single ``forward_ad.dual_level()``.

    Attributes:
        tangents: Tangents of the inputs, in order; the function sees what is written into them.
    """

    def __init__(self, arguments: Sequence[Any], this_round: TangentRound) -> None:
        self._arguments = arguments
        self._round = this_round
        self._duals: dict[int, Tensor] = {}
        self.tangents: list[Tensor] = []
        for position, value in enumerate(arguments):
            if isinstance(value, Tensor) and value.requires_grad:
                self._duals[position] = dual = _with_zeros(self._base(value))
                self.tangents.append(forward_ad.unpack_dual(dual).tangent)

    def positions(self) -> list[int]:
        """Positions of the arguments that have a tangent."""
        return list(self._duals)

    def values(self) -> list[Any]:
        """The arguments to call the function with."""
        return self.values_with({})

    def without_tangent(self, position: int, *, zeros: bool) -> list[Any]:
        """The arguments with a new zero tangent, or no tangent at all, at one position."""
        base = self._base(self._arguments[position])
        return self.values_with({position: _with_zeros(base) if zeros else base})

    def values_with(self, others: dict[int, Tensor]) -> list[Any]:
        """The arguments with some of the dual tensors replaced."""
        chosen = {**self._duals, **others}
        return [
            self._whole(value, chosen[k]) if k in chosen else value
            for k, value in enumerate(self._arguments)
        ]

    @calls_user_code
    def _base(self, value: Tensor) -> Tensor:
        if value.layout is not torch.strided:
            raise ValueError(say("forward_mode.layout", layout=value.layout))
        if value.is_complex():
            value = value.imag if self._round == "imag" else value.real
        return value.detach()

    def _whole(self, value: Tensor, part: Tensor) -> Tensor:
        """The argument with its real or imaginary part replaced; just ``part`` if real."""
        if not value.is_complex():
            return part
        # Put together by operations, so that the tangent of the part reaches the whole.
        return value.real + part * 1j if self._round == "imag" else part + value.imag * 1j


def forward_jacobian(
    call: DualCall,
    arguments: Sequence[Any],
    which: int,
    outputs: dict[int, Tensor],
    this_round: TangentRound,
) -> dict[int, Tensor]:
    """Compute the Jacobian of each output for one input, with one evaluation per element.

    Args:
        call: Runs the function.
        arguments: Its arguments.
        which: Index of the input among the differentiated arguments.
        outputs: The outputs to differentiate, by position.
        this_round: Which part of complex inputs is varied.

    Returns:
        For each position a matrix ``[input elements, output elements]`` in the output's dtype.
    """
    with forward_ad.dual_level():
        duals = DualArguments(arguments, this_round)
        tangent = duals.tangents[which]
        found = {
            k: new_matrix(tangent.numel(), each.numel(), each.dtype, each.device)
            for k, each in outputs.items()
        }
        for row, index in enumerate(product(*map(range, tangent.shape))):
            # Written in place: the dual tensors share this memory, so that none is made for each
            # element.
            tangent[index] = 1.0
            made = call(duals.values())
            for k, matrix in found.items():
                copy_tangent(made[k], matrix[row])
            tangent[index] = 0.0
    return found


@calls_user_code
def copy_tangent(output: Any, row: Tensor) -> None:
    """Copy an output's tangent into a row; zeros if it has none."""
    tangent = forward_ad.unpack_dual(output).tangent if is_continuous(output) else None
    if tangent is None:
        row.zero_()
    else:
        row.copy_(tangent.detach().reshape(-1))


@cache
def _load_rules() -> None:
    """Import what torch needs for the first dual number, without its warnings.

    They are about torch itself; as exceptions, they would look like the function's.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("torch._decomp.decompositions_for_jvp")


def _with_zeros(base: Tensor) -> Tensor:
    _load_rules()
    # The caller reads the tangent back, since for a view it may not be the tensor given here.
    dual: Tensor = forward_ad.make_dual(base, torch.zeros_like(base))
    return dual

"""Inputs of little precision as float64 or complex128, in which differences can be measured."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.attempt import Attempt

WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
}
"""The type of full precision for each of less."""


@dataclass(frozen=True, slots=True)
class Cast:
    """What is checked instead.

    Attributes:
        function: The function; a module as a copy with parameters and buffers in float64.
        arguments: Tensors of little precision are others of the same values; the rest is itself.
        dtypes: What was cast, without ``torch.``; empty if nothing was.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    dtypes: str


def cast_up(function: Callable[..., Any], arguments: Sequence[Any]) -> Cast:
    """Casts floating-point and complex arguments of little precision; integers stay as they are.

    The arguments themselves are left alone: what is cast is a copy.
    """
    found = sorted({str(each.dtype).removeprefix("torch.") for each in arguments if _is_low(each)})
    if not found:
        return Cast(function, tuple(arguments), "")
    wide = {id(each): _wide(each) for each in arguments if _is_low(each)}  # Equal ones stay one.
    chosen = tuple(wide.get(id(each), each) for each in arguments)
    return Cast(_wide_function(function), chosen, ", ".join(found))


def _is_low(argument: object) -> bool:
    return isinstance(argument, Tensor) and argument.dtype in WIDER


def _wide(tensor: Tensor) -> Tensor:
    return tensor.detach().to(WIDER[tensor.dtype]).requires_grad_(tensor.requires_grad)


def _wide_function(function: Callable[..., Any]) -> Callable[..., Any]:
    if not isinstance(function, torch.nn.Module):
        return function
    with Attempt():
        return copy.deepcopy(function).double()
    return function  # It holds what cannot be copied, like a lock; its forward may still do.

"""Casting of low-precision inputs to float64 or complex128 for finite differences."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from msgspec.structs import replace
from torch import Tensor

from gradviz.checks.arguments import CheckSubject, requires_grad, restore_arguments
from gradviz.checks.backward_function import differentiable
from gradviz.checks.names import callable_of
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.problem_messages import Attempt, UserCodeAttempt
from gradviz.checks.random_tensors import same_random_state
from gradviz.model.check_settings import CheckSettings
from gradviz.recorder.accelerators import has_float64
from gradviz.recorder.compat import gradients_of
from gradviz.recorder.patching.signals import calls_user_code

WIDER = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
    # Torch computes little in these, so that differences in them would fail.
    **{getattr(torch, name): torch.float64 for name in dir(torch) if name.startswith("float8_e")},
}
"""Full-precision dtype for each low-precision one."""


def has_wider(tensor: Tensor) -> bool:
    """Whether a tensor has low precision and its device also computes in full precision."""
    return tensor.dtype in WIDER and has_float64(tensor.device)


def widen_inputs(given: CheckSubject) -> tuple[CheckSubject, str]:
    """Cast low-precision floating-point and complex arguments; keep all others as they are.

    Arguments on a device without float64 stay as they are too.
    Works on copies: the given arguments are not modified, nor is a module, whose parameters and
    buffers are cast as well.

    Returns:
        What is checked after casting, and the dtypes that were cast, without ``torch.``; they are
        empty if none were.
    """
    found = low_dtypes(given.arguments)
    if not found:
        return given, ""
    wide = {"function": _wide_function(given.function), "arguments": widened(given.arguments)}
    return replace(given, **wide), found


def widened(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments with a cast copy of each tensor of low precision."""
    wide = {id(each): _wide(each) for each in arguments if _is_low(each)}  # One copy per tensor.
    return tuple(wide.get(id(each), each) for each in arguments)


def low_dtypes(arguments: Sequence[Any]) -> str:
    """The dtypes of arguments that a cast would replace, without ``torch.``; empty if none."""
    found = {str(each.dtype).removeprefix("torch.") for each in arguments if _is_low(each)}
    return ", ".join(sorted(found))


def is_too_coarse(tensors: Sequence[Tensor], settings: CheckSettings) -> bool:
    """Whether the step mostly measures rounding for the dtype of an input."""
    suited = (settings.for_dtype(str(each.dtype).removeprefix("torch.")) for each in tensors)
    return any(each.cast or settings.eps < each.eps for each in suited)


def widened_if_possible(given: CheckSubject) -> tuple[CheckSubject, str] | None:
    """As `widen_inputs`; None if nothing is cast, or if only the given function and inputs run."""
    with Attempt():  # Not every layout exists in float64.
        wide, dtypes = widen_inputs(given)
        runs = _runs(wide) or not _runs(given)
        if dtypes and runs:
            return wide, dtypes
    return None


@calls_user_code
def _runs(subject: CheckSubject) -> bool:
    call, arguments = callable_of(subject.function), subject.arguments
    with (
        restore_arguments(arguments),
        same_random_state(),
        torch.enable_grad(),
        UserCodeAttempt() as attempt,
    ):
        outputs = [value for _, value in differentiable(as_tuple(call(*arguments)))]
        inputs = [each for each in arguments if requires_grad(each)]
        if outputs and inputs:
            gradients = [torch.ones_like(each) for each in outputs]
            gradients_of(outputs, inputs, gradients)
    return attempt.error is None


def _is_low(argument: object) -> bool:
    return isinstance(argument, Tensor) and has_wider(argument)


def _wide(tensor: Tensor) -> Tensor:
    return tensor.detach().to(WIDER[tensor.dtype]).requires_grad_(tensor.requires_grad)


def _wide_function(function: Callable[..., Any]) -> Callable[..., Any]:
    if not isinstance(function, torch.nn.Module):
        return function
    with Attempt():
        # A copy, because `double` converts in place.
        return copy.deepcopy(function).double()
    return function  # Something in it cannot be copied, like a lock; its forward may work anyway.

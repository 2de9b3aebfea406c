"""What gradcheck asks of backward besides right numbers: zero in, zero out; undefined allowed.

Sources: ``_test_backward_mul_by_grad_output`` and ``_test_undefined_backward_mode`` in
torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function


class _Undefined(Function):
    """Hands a value on, and gives back no gradient at all."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> None:
        return None


def differentiable(outputs: Sequence[Any]) -> list[tuple[int, Tensor]]:
    """The outputs with a gradient, and their positions."""
    return [
        (position, value)
        for position, value in enumerate(outputs)
        if isinstance(value, Tensor) and value.requires_grad
    ]


def nonzero_gradients(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[int]:
    """Indices of inputs whose gradient is not zero although all incoming gradients are.

    Frees the graph. Raises whatever backward raises.
    """
    zeros = [torch.zeros_like(each, memory_format=torch.contiguous_format) for each in outputs]
    gradients: Sequence[Tensor | None] = torch.autograd.grad(
        outputs, inputs, zeros, allow_unused=True
    )
    return [
        i
        for i, gradient in enumerate(gradients)
        if gradient is not None and not bool(gradient.to_dense().eq(0).all())
    ]


def with_undefined(outputs: Sequence[Tensor], which: int | None) -> list[Tensor]:
    """The outputs, one of them (or all, for None) replaced by one whose gradient is undefined."""
    undefined: Callable[[Tensor], Tensor] = _Undefined.apply
    return [
        undefined(each) if which is None or i == which else each for i, each in enumerate(outputs)
    ]

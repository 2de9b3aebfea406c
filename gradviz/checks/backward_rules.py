"""gradcheck's rules for backward besides correct values: zero and undefined gradients.

Sources: ``_test_backward_mul_by_grad_output`` and ``_test_undefined_backward_mode`` in
torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.recorder.patching.signals import calls_user_code


class _Undefined(Function):
    """Identity whose backward returns an undefined gradient."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        # Not the value itself, because `apply` treats an input that is returned in a special way.
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> None:
        return None


def differentiable(outputs: Sequence[Any]) -> list[tuple[int, Tensor]]:
    """The outputs that require a gradient, each with its position."""
    return [
        (position, value)
        for position, value in enumerate(outputs)
        if isinstance(value, Tensor) and value.requires_grad
    ]


@calls_user_code
def nonzero_gradients(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], *, nearly: bool = False
) -> dict[int, Tensor]:
    """Nonzero gradients by index of the input, although all incoming gradients are zero.

    Frees the graph. Propagates any exception raised by backward.

    Args:
        outputs: What to differentiate.
        inputs: With respect to what.
        nearly: Whether torch's default tolerance applies, as in gradcheck's masked mode.
    """
    # `zeros_like` alone would copy the strides of the output.
    zeros = [torch.zeros_like(each, memory_format=torch.contiguous_format) for each in outputs]
    gradients: Sequence[Tensor | None] = torch.autograd.grad(
        outputs, inputs, zeros, allow_unused=True
    )
    dense = {i: each.to_dense() for i, each in enumerate(gradients) if each is not None}
    return {
        i: each
        for i, each in dense.items()
        if not (torch.allclose(each, torch.zeros_like(each)) if nearly else bool(each.eq(0).all()))
    }


def with_undefined(outputs: Sequence[Tensor], which: int | None) -> list[Tensor]:
    """The outputs, with one of them (all if None) replaced to have an undefined gradient."""
    undefined: Callable[[Tensor], Tensor] = _Undefined.apply
    return [
        undefined(each) if which is None or i == which else each for i, each in enumerate(outputs)
    ]

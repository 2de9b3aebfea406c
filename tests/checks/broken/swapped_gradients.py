"""Gradients returned for the wrong inputs."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import cases, inputs, made

OWN_FACTOR = made(lambda x, y: x * y, lambda g, x, y: (g[0] * x, g[0] * y))
"""Each input gets what the other one should get."""


MATRICES_EXCHANGED = made(lambda x, w: x @ w, lambda g, x, w: (x.t() @ g[0], g[0] @ w.t()))


class TwoOfThree(Function):
    """With two outputs, and an input that is right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x, y, z)
        return x.sin() * y + z, x * y**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y, _ = ctx.saved_tensors
        first, second = gradients
        grad_x = first * x.cos() * y + second * y**2
        grad_y = first * x.sin() + second * 2 * x * y
        return grad_y, grad_x, first


class OnePartOfOne(Function):
    """Where all values are 1, the first output shows no error."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x, y)
        return x * y, (x**2).sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        first, second = gradients
        return first * x, first * y + second * 2 * x


def _ones(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.float64, requires_grad=True)


CASES = (
    *cases(
        "swapped_gradients",
        ("ones", OnePartOfOne, lambda: (_ones(2, 2), _ones(2, 2))),
        ("product", OWN_FACTOR, inputs((3,), (3,))),
        ("numbers", OWN_FACTOR, inputs((), ())),
        ("square matrices", MATRICES_EXCHANGED, inputs((3, 3), (3, 3))),
        ("matrices that the engine refuses", MATRICES_EXCHANGED, inputs((4, 3), (3, 2))),
        # Looks like two wrong factors, but has one cause.
        (
            "weighted sum",
            made(lambda x, y: 2 * x + 5 * y, lambda g, x, y: (5 * g[0], 2 * g[0])),
            inputs((3,), (3,)),
        ),
        (
            "three",
            made(
                lambda x, y, z: x * y * z,
                lambda g, x, y, z: (g[0] * x * y, g[0] * y * z, g[0] * x * z),
            ),
            inputs((2,), (2,), (2,)),
        ),
        ("two of three", TwoOfThree, inputs((2, 2), (2, 2), (2, 2))),
    ),
)

"""Gradients returned for the wrong inputs."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import randn


class OwnFactor(Function):
    """Each input gets what the other one should get."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        return gradients[0] * x, gradients[0] * y


class MatricesExchanged(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return x.t() @ gradients[0], gradients[0] @ w.t()


class Weighted(Function):
    """Looks like two wrong factors, but has one cause."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return 2 * x + 5 * y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return 5 * gradients[0], 2 * gradients[0]


class Rotated(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        ctx.save_for_backward(x, y, z)
        return x * y * z

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y, z = ctx.saved_tensors
        g = gradients[0]
        return g * x * y, g * y * z, g * x * z


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
    Broken("ones", OnePartOfOne, lambda: (_ones(2, 2), _ones(2, 2)), "swapped_gradients"),
    Broken("product", OwnFactor, lambda: (randn(3), randn(3, seed=1)), "swapped_gradients"),
    Broken("numbers", OwnFactor, lambda: (randn(), randn(seed=1)), "swapped_gradients"),
    Broken(
        "square matrices",
        MatricesExchanged,
        lambda: (randn(3, 3), randn(3, 3, seed=1)),
        "swapped_gradients",
    ),
    Broken(
        "matrices that the engine refuses",
        MatricesExchanged,
        lambda: (randn(4, 3), randn(3, 2, seed=1)),
        "swapped_gradients",
    ),
    Broken("weighted sum", Weighted, lambda: (randn(3), randn(3, seed=1)), "swapped_gradients"),
    Broken(
        "three",
        Rotated,
        lambda: (randn(2), randn(2, seed=1), randn(2, seed=2)),
        "swapped_gradients",
    ),
    Broken(
        "two of three",
        TwoOfThree,
        lambda: (randn(2, 2), randn(2, 2, seed=1), randn(2, 2, seed=2)),
        "swapped_gradients",
    ),
)

"""Functions whose backward does not multiply by `grad_output`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import randn


class ReturnsTheDerivative(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x


class LossWithoutIncoming(Function):
    """Correct only as the last node of the graph, where grad_output is 1."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, target: Tensor) -> Tensor:
        ctx.save_for_backward(x, target)
        return ((x - target) ** 2).mean()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, target = ctx.saved_tensors
        return 2 * (x - target) / x.numel(), None


class Ones(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x + 1

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return torch.ones_like(gradients[0])


class OnlyForTheWeight(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        ones = torch.ones_like(gradients[0])
        return gradients[0] @ w.t(), x.t() @ ones


class Sign(Function):
    """A 1 is its own sign, so gradcheck does not notice."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].sign()


class Clipped(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x.exp() * gradients[0].clamp(-0.5, 0.5)


class Squared(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 3 * x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return 3 * gradients[0] * gradients[0]


class AddsInstead(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] + x.cos()


class SecondOutput(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.cos()


class Affine(Function):
    """Right, with numbers of very different sizes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.scale = torch.logspace(-6, 6, x.numel(), dtype=x.dtype)
        return x * ctx.scale

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.scale


def after_others(x: Tensor) -> Tensor:
    result: Tensor = ReturnsTheDerivative.apply(x.sin()) * 3
    return result


CASES = (
    Broken("derivative only", ReturnsTheDerivative, lambda: (randn(4),), "ignores_grad_output"),
    Broken(
        "loss",
        LossWithoutIncoming,
        lambda: (randn(4), randn(4, seed=1).detach()),
        "ignores_grad_output",
    ),
    Broken("ones", Ones, lambda: (randn(3),), "ignores_grad_output"),
    Broken(
        "ones for the weight",
        OnlyForTheWeight,
        lambda: (randn(2, 3), randn(3, 4, seed=1)),
        "ignores_grad_output",
    ),
    Broken("sign", Sign, lambda: (randn(3),), "ignores_grad_output"),
    Broken("clipped", Clipped, lambda: (randn(3),), "ignores_grad_output"),
    Broken("squared", Squared, lambda: (randn(3),), "ignores_grad_output"),
    Broken("added", AddsInstead, lambda: (randn(3),), "ignores_grad_output"),
    Broken("second output", SecondOutput, lambda: (randn(3),), "ignores_grad_output"),
    Broken("between others", after_others, lambda: (randn(3),), "ignores_grad_output"),
    Broken("affine, right", Affine, lambda: (randn(7),), "none"),
)

"""Correct Functions with misleading data: no diagnosis may be reported."""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import randn


class Linear(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w.t() + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        (g,) = gradients
        return g @ w, g.t() @ x, g.sum(0)


class Softmax(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.softmax(-1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        return y * (gradients[0] - (gradients[0] * y).sum(-1, keepdim=True))


class SoftmaxSum(Function):
    """Always one, so that its gradient is nothing but rounding."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.softmax(-1)
        ctx.save_for_backward(y)
        return y.sum(-1)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        g = gradients[0][..., None].expand_as(y)
        return y * (g - (g * y).sum(-1, keepdim=True))


class Cube(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        sys.stdout.write("forward runs\n")
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * 3 * x**2


class UnreducedBias(Function):
    """The engine sums over the rows by itself."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, b: Tensor) -> Tensor:
        return x - b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], -gradients[0]


class MeanAndDeviation(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x)
        return x.mean(0), x - x.mean(0)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        mean, rest = gradients
        return mean.expand_as(x) / len(x) + rest - rest.mean(0)


class Transpose(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.t().clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].t()


class Quotient(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return x / y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        return gradients[0] / y, -gradients[0] * x / y**2


class Negated(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return -x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return -gradients[0]


class Clamped(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * (x > 0)


def _filled(value: float, *shape: int) -> Tensor:
    return torch.full(shape, value, dtype=torch.float64, requires_grad=True)


def _counted(*shape: int) -> Tensor:
    size = torch.Size(shape).numel()
    return torch.arange(size, dtype=torch.float64).reshape(shape).requires_grad_()


CASES = (
    Broken("linear", Linear, lambda: (randn(3, 3), randn(3, 3, seed=1), randn(3, seed=2)), "none"),
    Broken(
        "linear of zeros",
        Linear,
        lambda: (_filled(0, 2, 2), _filled(0, 2, 2), _filled(0, 2)),
        "none",
    ),
    Broken(
        "linear of one feature",
        Linear,
        lambda: (_counted(4, 3), _counted(1, 3), _counted(1)),
        "none",
    ),
    Broken("softmax", Softmax, lambda: (randn(2, 3),), "none"),
    Broken("softmax of one", Softmax, lambda: (randn(3, 1),), "none"),
    Broken("sum of a softmax", SoftmaxSum, lambda: (randn(3, 4),), "none"),
    Broken("cube of ones", Cube, lambda: (_filled(1, 3),), "none"),
    Broken("cube of a number", Cube, lambda: (_filled(-2),), "none"),
    Broken("tiny numbers", Cube, lambda: (_filled(1e-5, 2, 2),), "none"),
    Broken("unreduced bias", UnreducedBias, lambda: (randn(3, 3), randn(3, seed=1)), "none"),
    Broken("two outputs", MeanAndDeviation, lambda: (_counted(2, 2),), "none"),
    Broken("transpose", Transpose, lambda: (randn(3, 2),), "none"),
    Broken("quotient", Quotient, lambda: (_counted(2, 3), _filled(-2, 2, 3)), "none"),
    Broken("negated", Negated, lambda: (_counted(3),), "none"),
    Broken("clamped away from the kink", Clamped, lambda: (randn(5),), "none"),
)

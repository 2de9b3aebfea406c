"""A missing sum, an extra sum, or a sum over the wrong dimension."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import randn


class FirstRowOnly(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, b: Tensor) -> Tensor:
        return x + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], gradients[0][0]


class LastSampleOnly(Function):
    """A weight is used for each sample of a batch."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] @ w.t(), x[-1].t() @ gradients[0][-1]


class WrongDimension(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, b: Tensor) -> Tensor:
        return x + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], gradients[0].sum(1)


class UnreducedScale(Function):
    """The engine sums for it, but over the wrong dimension where there is a choice."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, scale: Tensor) -> Tensor:
        ctx.save_for_backward(x, scale)
        return x * scale[:, None]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, scale = ctx.saved_tensors
        return gradients[0] * scale[:, None], gradients[0] * x


class FirstRepetitionOnly(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.count = len(x)
        return x.repeat(3)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0][: ctx.count]


class SummedOverTheBatch(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0].sum(0, keepdim=True).expand_as(x) * x.cos()


class SpreadOut(Function):
    """Sums the gradient itself, and gives every element the sum."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        grad_x = gradients[0] @ w.t()
        return grad_x.sum(1, keepdim=True).expand_as(x), x.t() @ gradients[0]


class AveragedOut(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return torch.full_like(gradients[0], 3 * gradients[0].mean())


class RefusedForTooFew(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return 2 * gradients[0].sum(0)


class SoftmaxOfAllRows(Function):
    """The sum lacks its dimension, and mixes the rows."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.softmax(dim=-1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        weighted = gradients[0] * y
        return weighted - y * weighted.sum()


class CentredOverAll(Function):
    """Forward takes the mean of each row, backward of everything."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x - x.mean(dim=-1, keepdim=True)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] - gradients[0].mean()


CASES = (
    Broken("softmax mixes rows", SoftmaxOfAllRows, lambda: (randn(3, 4),), "extra_sum"),
    Broken(
        "softmax mixes rows of two dimensions",
        SoftmaxOfAllRows,
        lambda: (randn(2, 3, 4),),
        "extra_sum",
    ),
    Broken("centred over all", CentredOverAll, lambda: (randn(5, 3),), "extra_sum"),
    Broken("first row only", FirstRowOnly, lambda: (randn(4, 3), randn(3, seed=1)), "missing_sum"),
    Broken(
        "first row of two", FirstRowOnly, lambda: (randn(2, 3), randn(3, seed=1)), "missing_sum"
    ),
    Broken(
        "last sample only",
        LastSampleOnly,
        lambda: (randn(3, 2, 4), randn(4, 2, seed=1)),
        "missing_sum",
    ),
    Broken(
        "wrong dimension", WrongDimension, lambda: (randn(3, 3), randn(3, seed=1)), "missing_sum"
    ),
    Broken(
        "summed by the engine",
        UnreducedScale,
        lambda: (randn(3, 3), randn(3, seed=1)),
        "missing_sum",
    ),
    Broken(
        "refused by the engine",
        UnreducedScale,
        lambda: (randn(4, 3), randn(4, seed=1)),
        "missing_sum",
    ),
    Broken("first repetition only", FirstRepetitionOnly, lambda: (randn(4),), "missing_sum"),
    Broken("summed over the batch", SummedOverTheBatch, lambda: (randn(4, 3),), "extra_sum"),
    Broken(
        "summed over a batch of ones",
        SummedOverTheBatch,
        lambda: (torch.ones(2, 2, dtype=torch.float64, requires_grad=True),),
        "extra_sum",
    ),
    Broken("spread out", SpreadOut, lambda: (randn(2, 3), randn(3, 4, seed=1)), "extra_sum"),
    Broken("averaged out", AveragedOut, lambda: (randn(5),), "extra_sum"),
    Broken("refused for too few", RefusedForTooFew, lambda: (randn(4, 3),), "extra_sum"),
)

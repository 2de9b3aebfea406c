"""A wrong constant, a wrong sign, or a mean instead of a sum."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import randn


class SquareWithoutTwo(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x


class GaussianWithoutRoot(Function):
    """The normalization is in forward only."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return -gradients[0] * x * torch.exp(-0.5 * x**2)


class Log2WithoutLn2(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.log2(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] / x


class EverythingDoubled(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w.t() + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        g = gradients[0] + gradients[0]
        return g @ w, g.t() @ x, g.sum(0)


class UnscaledScores(Function):
    """The scale of attention is forgotten: it follows a size, but of features."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor) -> Tensor:
        ctx.save_for_backward(q, k)
        return q @ k.t() / math.sqrt(q.shape[-1])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        q, k = ctx.saved_tensors
        return gradients[0] @ k, gradients[0].t() @ q


class CosineWithoutMinus(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.cos()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.sin()


class TargetWithoutMinus(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, target: Tensor) -> Tensor:
        ctx.save_for_backward(x, target)
        return ((x - target) ** 2).sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, target = ctx.saved_tensors
        g = 2 * gradients[0] * (x - target)
        return g, g


class SubtractionBackwards(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return x - y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return -gradients[0], gradients[0]


class SecondOutputWithoutMinus(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.cos() + gradients[1] * x.sin()


class MeanSquaredError(Function):
    """Forgets that it was a mean."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, target: Tensor) -> Tensor:
        ctx.save_for_backward(x, target)
        return ((x - target) ** 2).mean()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, target = ctx.saved_tensors
        return gradients[0] * 2 * (x - target), None


class CrossEntropy(Function):
    """Averaged over a batch; its labels are integers."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, labels: Tensor) -> Tensor:
        ctx.save_for_backward(logits, labels)
        return -logits.log_softmax(1)[torch.arange(len(labels)), labels].mean()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        logits, labels = ctx.saved_tensors
        return gradients[0] * (logits.softmax(1) - torch.eye(logits.shape[1])[labels]), None


class AveragedBias(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, b: Tensor) -> Tensor:
        return x + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], gradients[0].mean(0)


class MeanOverRows(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.shape = x.shape
        return x.mean(0)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].expand(ctx.shape)


def _positive() -> tuple[Any, ...]:
    return ((randn(5).detach().abs() + 0.5).requires_grad_(),)


def _labelled() -> tuple[Any, ...]:
    return randn(4, 3), torch.tensor([0, 2, 1, 1])


CASES = (
    Broken("square without two", SquareWithoutTwo, lambda: (randn(5),), "factor_constant"),
    Broken(
        "a constant two beside a size two",
        SquareWithoutTwo,
        lambda: (randn(2, 2),),
        "factor_constant",
    ),
    Broken(
        "scalar",
        SquareWithoutTwo,
        lambda: (torch.tensor(3.0, dtype=torch.float64, requires_grad=True),),
        "factor_constant",
    ),
    Broken("root of two pi", GaussianWithoutRoot, lambda: (randn(4),), "factor_constant"),
    Broken("ln 2", Log2WithoutLn2, _positive, "factor_constant"),
    Broken(
        "everything doubled",
        EverythingDoubled,
        lambda: (randn(4, 3), randn(2, 3, seed=1), randn(2, seed=2)),
        "factor_constant",
    ),
    Broken(
        "scale of attention",
        UnscaledScores,
        lambda: (randn(3, 4), randn(2, 4, seed=1)),
        "factor_constant",
    ),
    Broken("cosine", CosineWithoutMinus, lambda: (randn(2, 3),), "factor_sign"),
    Broken("target", TargetWithoutMinus, lambda: (randn(4), randn(4, seed=1)), "factor_sign"),
    Broken(
        "both of a difference",
        SubtractionBackwards,
        lambda: (randn(4), randn(4, seed=1)),
        "factor_sign",
    ),
    Broken("second output only", SecondOutputWithoutMinus, lambda: (randn(3),), "factor_sign"),
    Broken(
        "mean squared error",
        MeanSquaredError,
        lambda: (randn(4, 3), randn(4, 3, seed=1).detach()),
        "factor_batch_size",
    ),
    Broken(
        "mean squared error of two",
        MeanSquaredError,
        lambda: (randn(2), randn(2, seed=1).detach()),
        "factor_batch_size",
    ),
    Broken("cross entropy", CrossEntropy, _labelled, "factor_batch_size"),
    Broken(
        "averaged bias", AveragedBias, lambda: (randn(4, 3), randn(3, seed=1)), "factor_batch_size"
    ),
    Broken(
        "mean over rows",
        MeanOverRows,
        lambda: (torch.ones(3, 2, dtype=torch.float64, requires_grad=True),),
        "factor_batch_size",
    ),
)

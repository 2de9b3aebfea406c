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
    Broken(
        name="square without two",
        function=SquareWithoutTwo,
        inputs=lambda: (randn(5),),
        code="factor_constant",
    ),
    Broken(
        name="a constant two beside a size two",
        function=SquareWithoutTwo,
        inputs=lambda: (randn(2, 2),),
        code="factor_constant",
    ),
    Broken(
        name="scalar",
        function=SquareWithoutTwo,
        inputs=lambda: (torch.tensor(3.0, dtype=torch.float64, requires_grad=True),),
        code="factor_constant",
    ),
    Broken(
        name="root of two pi",
        function=GaussianWithoutRoot,
        inputs=lambda: (randn(4),),
        code="factor_constant",
    ),
    Broken(name="ln 2", function=Log2WithoutLn2, inputs=_positive, code="factor_constant"),
    Broken(
        name="everything doubled",
        function=EverythingDoubled,
        inputs=lambda: (randn(4, 3), randn(2, 3, seed=1), randn(2, seed=2)),
        code="factor_constant",
    ),
    Broken(
        name="scale of attention",
        function=UnscaledScores,
        inputs=lambda: (randn(3, 4), randn(2, 4, seed=1)),
        code="factor_constant",
    ),
    Broken(
        name="cosine",
        function=CosineWithoutMinus,
        inputs=lambda: (randn(2, 3),),
        code="factor_sign",
    ),
    Broken(
        name="target",
        function=TargetWithoutMinus,
        inputs=lambda: (randn(4), randn(4, seed=1)),
        code="factor_sign",
    ),
    Broken(
        name="both of a difference",
        function=SubtractionBackwards,
        inputs=lambda: (randn(4), randn(4, seed=1)),
        code="factor_sign",
    ),
    Broken(
        name="second output only",
        function=SecondOutputWithoutMinus,
        inputs=lambda: (randn(3),),
        code="factor_sign",
    ),
    Broken(
        name="mean squared error",
        function=MeanSquaredError,
        inputs=lambda: (randn(4, 3), randn(4, 3, seed=1).detach()),
        code="factor_batch_size",
    ),
    Broken(
        name="mean squared error of two",
        function=MeanSquaredError,
        inputs=lambda: (randn(2), randn(2, seed=1).detach()),
        code="factor_batch_size",
    ),
    Broken(
        name="cross entropy",
        function=CrossEntropy,
        inputs=_labelled,
        code="factor_batch_size",
    ),
    Broken(
        name="averaged bias",
        function=AveragedBias,
        inputs=lambda: (randn(4, 3), randn(3, seed=1)),
        code="factor_batch_size",
    ),
    Broken(
        name="mean over rows",
        function=MeanOverRows,
        inputs=lambda: (torch.ones(3, 2, dtype=torch.float64, requires_grad=True),),
        code="factor_batch_size",
    ),
)

"""Missing gradients: None, zeros, or a cut graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn


class NoneForWeight(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        _, w = ctx.saved_tensors
        return gradients[0] @ w.t(), None


def never_written_back(g: Any, x: Tensor) -> Any:
    """Allocates the gradient's buffer but never fills it."""
    grad_x = torch.zeros_like(x)
    _ = x.exp() * g[0]
    return grad_x


NEVER_WRITTEN = made(lambda x: x.exp(), never_written_back)


class MarkedByMistake(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        y = x * x
        ctx.mark_non_differentiable(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * gradients[0]


class Statistics(Function):
    """Correct: the second output is informative only, and None belongs to a non-tensor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> tuple[Tensor, Tensor]:
        ctx.factor = factor
        mean = x.mean()
        ctx.mark_non_differentiable(mean)
        return x * factor, mean

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.factor, None


def weight_of_data(x: Tensor, w: Tensor) -> Tensor:
    return functional.linear(x, w.data)


def without_grad(x: Tensor, w: Tensor) -> Tensor:
    with torch.no_grad():
        scale = w.exp().sum()
    return x * scale


def by_numpy(x: Tensor, w: Tensor) -> Tensor:
    return x * torch.from_numpy(w.detach().numpy() ** 2)


def by_item(x: Tensor, s: Tensor) -> Tensor:
    return x * s.item()


def denominator_detached(x: Tensor) -> Tensor:
    e = x.exp()
    return e / e.sum(-1, keepdim=True).detach()


def norm_by_item(x: Tensor) -> Tensor:
    return x / x.norm().item()


def norm_by_numpy(x: Tensor) -> Tensor:
    return x / float(np.linalg.norm(x.detach().numpy()))


def copied(x: Tensor, w: Tensor) -> Tensor:
    return x * w.new_tensor(w.tolist())


def shifted_by_detached_maximum(x: Tensor) -> Tensor:
    """Right: the maximum cancels."""
    e = (x - x.amax(-1, keepdim=True).detach()).exp()
    return e / e.sum(-1, keepdim=True)


one = inputs((4,))


two = inputs((2, 3), (3, 4))


alike = inputs((2, 3), (2, 3))


CASES = (
    *cases(
        "dropped_none",
        ("None for the weight", NoneForWeight, two),
    ),
    *cases(
        "dropped_zero",
        (
            "zeros for the bias",
            made(lambda x, b: x + b, lambda g, x, b: (g[0], torch.zeros_like(b))),
            inputs((2, 3), (3,)),
        ),
        ("buffer never written", NEVER_WRITTEN, inputs((4,))),
    ),
    *cases(
        "detached",
        ("a real output marked", MarkedByMistake, inputs((3,))),
        ("weight by data", weight_of_data, inputs((2, 3), (4, 3))),
        ("NumPy", by_numpy, alike),
        ("item", by_item, inputs((3,), ())),
        ("denominator detached", denominator_detached, inputs((2, 4))),
        ("a norm by NumPy", norm_by_numpy, one),
        ("a list on the way", copied, alike),
    ),
    *cases(
        "none",
        ("maximum detached, right", shifted_by_detached_maximum, inputs((2, 4))),
        ("statistics, right", Statistics, lambda: (randn(3), 2.0)),
    ),
)

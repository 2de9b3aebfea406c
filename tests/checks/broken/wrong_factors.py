"""A wrong constant, a wrong sign, or a mean instead of a sum."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn

SQUARE_WITHOUT_TWO = made(lambda x: x**2, lambda g, x: g[0] * x)


def everything_doubled_back(arriving: Any, x: Tensor, w: Tensor, b: Tensor) -> Any:
    g = arriving[0] + arriving[0]
    return g @ w, g.t() @ x, g.sum(0)


EVERYTHING_DOUBLED = made(lambda x, w, b: x @ w.t() + b, everything_doubled_back)


def target_without_minus_back(arriving: Any, x: Tensor, target: Tensor) -> Any:
    g = 2 * arriving[0] * (x - target)
    return g, g


TARGET_WITHOUT_MINUS = made(lambda x, target: ((x - target) ** 2).sum(), target_without_minus_back)


MEAN_SQUARED_ERROR = made(
    lambda x, target: ((x - target) ** 2).mean(), lambda g, x, target: g[0] * 2 * (x - target)
)
"""Forgets that it was a mean."""


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
    *cases(
        "factor_constant",
        ("square without two", SQUARE_WITHOUT_TWO, inputs((5,))),
        ("a constant two beside a size two", SQUARE_WITHOUT_TWO, inputs((2, 2))),
        (
            "scalar",
            SQUARE_WITHOUT_TWO,
            lambda: (torch.tensor(3.0, dtype=torch.float64, requires_grad=True),),
        ),
        # The normalization is in forward only.
        (
            "root of two pi",
            made(
                lambda x: torch.exp(-0.5 * x**2) / math.sqrt(2 * math.pi),
                lambda g, x: -g[0] * x * torch.exp(-0.5 * x**2),
            ),
            inputs((4,)),
        ),
        ("ln 2", made(lambda x: torch.log2(x), lambda g, x: g[0] / x), _positive),
        ("everything doubled", EVERYTHING_DOUBLED, inputs((4, 3), (2, 3), (2,))),
        # The scale of attention is forgotten: it follows a size, but of features.
        (
            "scale of attention",
            made(
                lambda q, k: q @ k.t() / math.sqrt(q.shape[-1]),
                lambda g, q, k: (g[0] @ k, g[0].t() @ q),
            ),
            inputs((3, 4), (2, 4)),
        ),
    ),
    *cases(
        "factor_sign",
        ("cosine", made(lambda x: x.cos(), lambda g, x: g[0] * x.sin()), inputs((2, 3))),
        ("target", TARGET_WITHOUT_MINUS, inputs((4,), (4,))),
        (
            "both of a difference",
            made(lambda x, y: x - y, lambda g, x, y: (-g[0], g[0])),
            inputs((4,), (4,)),
        ),
        (
            "second output only",
            made(lambda x: (x.sin(), x.cos()), lambda g, x: g[0] * x.cos() + g[1] * x.sin()),
            inputs((3,)),
        ),
    ),
    *cases(
        "factor_batch_size",
        (
            "mean squared error",
            MEAN_SQUARED_ERROR,
            lambda: (randn(4, 3), randn(4, 3, seed=1).detach()),
        ),
        (
            "mean squared error of two",
            MEAN_SQUARED_ERROR,
            lambda: (randn(2), randn(2, seed=1).detach()),
        ),
        # Averaged over a batch; its labels are integers.
        (
            "cross entropy",
            made(
                lambda logits, labels: (
                    -logits.log_softmax(1)[torch.arange(len(labels)), labels].mean()
                ),
                lambda g, logits, labels: (
                    g[0] * (logits.softmax(1) - torch.eye(logits.shape[1])[labels])
                ),
            ),
            _labelled,
        ),
        (
            "averaged bias",
            made(lambda x, b: x + b, lambda g, x, b: (g[0], g[0].mean(0))),
            inputs((4, 3), (3,)),
        ),
        (
            "mean over rows",
            MeanOverRows,
            lambda: (torch.ones(3, 2, dtype=torch.float64, requires_grad=True),),
        ),
    ),
)

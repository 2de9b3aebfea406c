"""A missing sum, an extra sum, or a sum over the wrong dimension."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import cases, inputs, made

FIRST_ROW_ONLY = made(lambda x, b: x + b, lambda g, x, b: (g[0], g[0][0]))


UNREDUCED_SCALE = made(
    lambda x, scale: x * scale[:, None], lambda g, x, scale: (g[0] * scale[:, None], g[0] * x)
)
"""The engine sums for it, but over the wrong dimension where there is a choice."""


class FirstRepetitionOnly(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.count = len(x)
        return x.repeat(3)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0][: ctx.count]


SUMMED_OVER_THE_BATCH = made(
    lambda x: x.sin(), lambda g, x: g[0].sum(0, keepdim=True).expand_as(x) * x.cos()
)


def spread_out_back(g: Any, x: Tensor, w: Tensor) -> Any:
    """Sums the gradient itself, and gives every element the sum."""
    grad_x = g[0] @ w.t()
    return grad_x.sum(1, keepdim=True).expand_as(x), x.t() @ g[0]


SPREAD_OUT = made(lambda x, w: x @ w, spread_out_back)


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


CASES = (
    *cases(
        "extra_sum",
        ("softmax mixes rows", SoftmaxOfAllRows, inputs((3, 4))),
        ("softmax mixes rows of two dimensions", SoftmaxOfAllRows, inputs((2, 3, 4))),
        # Forward takes the mean of each row, backward of everything.
        (
            "centred over all",
            made(lambda x: x - x.mean(dim=-1, keepdim=True), lambda g, x: g[0] - g[0].mean()),
            inputs((5, 3)),
        ),
        ("summed over the batch", SUMMED_OVER_THE_BATCH, inputs((4, 3))),
        (
            "summed over a batch of ones",
            SUMMED_OVER_THE_BATCH,
            lambda: (torch.ones(2, 2, dtype=torch.float64, requires_grad=True),),
        ),
        ("spread out", SPREAD_OUT, inputs((2, 3), (3, 4))),
        (
            "averaged out",
            made(lambda x: x * 3, lambda g, x: torch.full_like(g[0], 3 * g[0].mean())),
            inputs((5,)),
        ),
        (
            "refused for too few",
            made(lambda x: x * 2, lambda g, x: 2 * g[0].sum(0)),
            inputs((4, 3)),
        ),
    ),
    *cases(
        "missing_sum",
        ("first row only", FIRST_ROW_ONLY, inputs((4, 3), (3,))),
        ("first row of two", FIRST_ROW_ONLY, inputs((2, 3), (3,))),
        # A weight is used for each sample of a batch.
        (
            "last sample only",
            made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w.t(), x[-1].t() @ g[0][-1])),
            inputs((3, 2, 4), (4, 2)),
        ),
        (
            "wrong dimension",
            made(lambda x, b: x + b, lambda g, x, b: (g[0], g[0].sum(1))),
            inputs((3, 3), (3,)),
        ),
        ("summed by the engine", UNREDUCED_SCALE, inputs((3, 3), (3,))),
        ("refused by the engine", UNREDUCED_SCALE, inputs((4, 3), (4,))),
        ("first repetition only", FirstRepetitionOnly, inputs((4,))),
    ),
)

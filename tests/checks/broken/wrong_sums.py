"""A missing sum, an extra sum, or a sum over the wrong dimension."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made

FIRST_ROW_ONLY = made(lambda x, b: x + b, lambda g, x, b: (g[0], g[0][0]))


UNREDUCED_SCALE = made(
    lambda x, scale: x * scale[:, None], lambda g, x, scale: (g[0] * scale[:, None], g[0] * x)
)
"""The engine sums for it, but over the wrong dimension where there is a choice."""


def mixed_rows_back(g: Any, x: Tensor) -> Any:
    """The sum lacks its dimension, and mixes the rows."""
    y = x.softmax(-1)
    weighted = g[0] * y
    return weighted - y * weighted.sum()


SOFTMAX_OF_ALL_ROWS = made(lambda x: x.softmax(-1), mixed_rows_back)

SUMMED_OVER_THE_BATCH = made(
    lambda x: x.sin(), lambda g, x: g[0].sum(0, keepdim=True).expand_as(x) * x.cos()
)


def spread_out_back(g: Any, x: Tensor, w: Tensor) -> Any:
    """Sums the gradient itself, and gives every element the sum."""
    grad_x = g[0] @ w.t()
    return grad_x.sum(1, keepdim=True).expand_as(x), x.t() @ g[0]


SPREAD_OUT = made(lambda x, w: x @ w, spread_out_back)


CASES = (
    *cases(
        "extra_sum",
        ("softmax mixes rows", SOFTMAX_OF_ALL_ROWS, inputs((3, 4))),
        ("softmax mixes rows of two dimensions", SOFTMAX_OF_ALL_ROWS, inputs((2, 3, 4))),
        # Forward takes the mean of each row, backward of everything.
        (
            "centred over all",
            made(lambda x: x - x.mean(dim=-1, keepdim=True), lambda g, x: g[0] - g[0].mean()),
            inputs((5, 3)),
        ),
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
        (
            "wrong dimension",
            made(lambda x, b: x + b, lambda g, x, b: (g[0], g[0].sum(1))),
            inputs((3, 3), (3,)),
        ),
        ("summed by the engine", UNREDUCED_SCALE, inputs((3, 3), (3,))),
        ("refused by the engine", UNREDUCED_SCALE, inputs((4, 3), (4,))),
        (
            "first repetition only",
            made(lambda x: x.repeat(3), lambda g, x: g[0][: len(x)]),
            inputs((4,)),
        ),
    ),
)

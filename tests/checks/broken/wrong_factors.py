"""A wrong constant, a wrong sign, or a mean instead of a sum."""

from __future__ import annotations

import math
from typing import Any

import torch

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn

SQUARE_WITHOUT_TWO = made(lambda x: x**2, lambda g, x: g[0] * x)


MEAN_SQUARED_ERROR = made(
    lambda x, target: ((x - target) ** 2).mean(), lambda g, x, target: g[0] * 2 * (x - target)
)
"""Forgets that it was a mean."""


def _positive() -> tuple[Any, ...]:
    return ((randn(5).detach().abs() + 0.5).requires_grad_(),)


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
        ("ln 2", made(lambda x: torch.log2(x), lambda g, x: g[0] / x), _positive),
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
        (
            "both of a difference",
            made(lambda x, y: x - y, lambda g, x, y: (-g[0], g[0])),
            inputs((4,), (4,)),
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
    ),
)

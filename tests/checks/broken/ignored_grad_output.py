"""Functions whose backward does not multiply by `grad_output`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made

SCALE = torch.logspace(-6, 6, 7, dtype=torch.float64)

RETURNS_THE_DERIVATIVE = made(lambda x: x * x, lambda g, x: 2 * x)


Ones = made(lambda x: x + 1, lambda g, x: torch.ones_like(g[0]))


def only_for_the_weight_back(g: Any, x: Tensor, w: Tensor) -> Any:
    ones = torch.ones_like(g[0])
    return g[0] @ w.t(), x.t() @ ones


ONLY_FOR_THE_WEIGHT = made(lambda x, w: x @ w, only_for_the_weight_back)


Sign = made(lambda x: x.clone(), lambda g, x: g[0].sign())
"""A 1 is its own sign, so gradcheck does not notice."""


CASES = (
    *cases(
        "ignores_grad_output",
        ("derivative only", RETURNS_THE_DERIVATIVE, inputs((4,))),
        ("ones for the weight", ONLY_FOR_THE_WEIGHT, inputs((2, 3), (3, 4))),
        (
            "clipped",
            made(lambda x: x.exp(), lambda g, x: x.exp() * g[0].clamp(-0.5, 0.5)),
            inputs((3,)),
        ),
        ("added", made(lambda x: x.sin(), lambda g, x: g[0] + x.cos()), inputs((3,))),
        (
            "second output",
            made(lambda x: (x.sin(), x.cos()), lambda g, x: g[0] * x.cos()),
            inputs((3,)),
        ),
    ),
    *cases(
        "none",
        # With numbers of very different sizes.
        ("affine, right", made(lambda x: x * SCALE, lambda g, x: g[0] * SCALE), inputs((7,))),
    ),
)

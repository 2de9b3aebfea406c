"""The gradient of one output used where that of another belongs."""

from __future__ import annotations

import torch
from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made

one = inputs((3, 4))


two = inputs((3, 4), (3, 4))


def complex_vector() -> tuple[Tensor]:
    drawn = torch.randn(3, generator=torch.Generator().manual_seed(1), dtype=torch.complex128)
    return (drawn.requires_grad_(),)


CODE = "swapped_grad_outputs"

CASES = (
    *cases(
        CODE,
        (
            "one input",
            made(lambda x: (x.sin(), x**2), lambda g, x: g[1] * x.cos() + g[0] * 2 * x),
            one,
        ),
        (
            "one used for both",
            made(lambda x: (x.sin(), x**2), lambda g, x: g[1] * x.cos() + g[1] * 2 * x),
            one,
        ),
        (
            "complex",
            made(
                lambda x: (x.exp(), x * x),
                lambda g, x: g[1] * x.exp().conj() + g[0] * 2 * x.conj(),
            ),
            complex_vector,
        ),
    ),
    *cases(
        "none",
        (
            "equal outputs, right",
            made(lambda x: (x.sin(), x.sin()), lambda g, x: (g[0] + g[1]) * x.cos()),
            one,
        ),
    ),
    *cases(
        "factor_sign",
        (
            "opposite differences",
            made(lambda a, b: (a - b, b - a), lambda g, a, b: (g[1] - g[0], g[0] - g[1])),
            two,
        ),
    ),
    *cases(
        "unknown",
        (
            "another slope",
            made(lambda x: (x.sin(), x**2), lambda g, x: g[0] * x.sin() + g[1] * 2 * x),
            one,
        ),
    ),
)

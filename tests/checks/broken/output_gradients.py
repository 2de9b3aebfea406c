"""The gradient of one output used where that of another belongs."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import Broken, made
from tests.checks.sample_functions import randn


def one() -> tuple[Tensor]:
    return (randn(3, 4),)


def two() -> tuple[Tensor, Tensor]:
    return randn(3, 4), randn(3, 4, seed=1)


def min_and_max(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.min(-1).values, x.max(-1).values


def min_and_max_back(g: Any, x: Tensor) -> Tensor:
    low, high = x.argmin(-1, keepdim=True), x.argmax(-1, keepdim=True)
    grad = torch.zeros_like(x).scatter_add(-1, low, g[1][:, None])
    return grad.scatter_add(-1, high, g[0][:, None])


def complex_vector() -> tuple[Tensor]:
    drawn = torch.randn(3, generator=torch.Generator().manual_seed(1), dtype=torch.complex128)
    return (drawn.requires_grad_(),)


CODE = "swapped_grad_outputs"

CASES = (
    Broken(
        name="one input",
        function=made(lambda x: (x.sin(), x**2), lambda g, x: g[1] * x.cos() + g[0] * 2 * x),
        inputs=one,
        code=CODE,
    ),
    Broken(
        name="one of two inputs",
        function=made(
            lambda a, b: (a * b, a + b.sin()),
            lambda g, a, b: (g[1] * b + g[0], g[0] * a + g[1] * b.cos()),
        ),
        inputs=two,
        code=CODE,
    ),
    Broken(
        name="one used for both",
        function=made(lambda x: (x.sin(), x**2), lambda g, x: g[1] * x.cos() + g[1] * 2 * x),
        inputs=one,
        code=CODE,
    ),
    Broken(
        name="three rotated",
        function=made(
            lambda x: (x.exp(), x.sin(), x * x),
            lambda g, x: g[1] * x.exp() + g[2] * x.cos() + g[0] * 2 * x,
        ),
        inputs=one,
        code=CODE,
    ),
    Broken(
        name="complex",
        function=made(
            lambda x: (x.exp(), x * x),
            lambda g, x: g[1] * x.exp().conj() + g[0] * 2 * x.conj(),
        ),
        inputs=complex_vector,
        code=CODE,
    ),
    Broken(
        name="smallest and largest",
        function=made(min_and_max, min_and_max_back),
        inputs=one,
        code=CODE,
    ),
    Broken(
        name="equal outputs, right",
        function=made(lambda x: (x.sin(), x.sin()), lambda g, x: (g[0] + g[1]) * x.cos()),
        inputs=one,
        code="none",
    ),
    Broken(
        name="opposite differences",
        function=made(lambda a, b: (a - b, b - a), lambda g, a, b: (g[1] - g[0], g[0] - g[1])),
        inputs=two,
        code="factor_sign",
    ),
    Broken(
        name="another slope",
        function=made(lambda x: (x.sin(), x**2), lambda g, x: g[0] * x.sin() + g[1] * 2 * x),
        inputs=one,
        code="unknown",
    ),
)

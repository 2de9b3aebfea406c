"""Gradients that are wrong at some indices only: a mask, the last column, padding."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn


def last_column_back(g: Any, x: Tensor) -> Any:
    grad_x = 2 * x * g[0]
    grad_x[:, -1] = 0
    return grad_x


LastColumn = made(lambda x: x * x, last_column_back)


def first_row_twice_back(g: Any, x: Tensor, w: Tensor) -> Any:
    grad_w = x.t() @ g[0]
    grad_w[0] += grad_w[0].clone()
    return (g[0] @ w.t(), grad_w)


FirstRowTwice = made(lambda x, w: x @ w, first_row_twice_back)


ReluWithoutMask = made(lambda x: x.clamp(min=0), lambda g, x: g[0].clone())


MaskedFill = made(
    lambda x, mask: x.masked_fill(mask, -1.0) * 2, lambda g, x, mask: (g[0] * 2, None)
)


def padded_pool(x: Tensor) -> Tensor:
    padded = functional.pad(x, (1, 1))
    return (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3


def padded_pool_back(g: Any, x: Tensor) -> Any:
    """An average over three neighbours, whose backward forgets the ends."""
    grad = torch.zeros_like(g[0])
    grad[:, 1:-1] = (g[0][:, :-2] + g[0][:, 1:-1] + g[0][:, 2:]) / 3
    return grad


PADDED_POOL = made(padded_pool, padded_pool_back)


def one_element_back(g: Any, x: Tensor) -> Any:
    grad = g[0] * (1 - x.tanh() ** 2)
    grad[1, 2] = grad[1, 2] * 1.5
    return grad


ONE_ELEMENT = made(lambda x: x.tanh(), one_element_back)


matrix = inputs((3, 4))


def _masked() -> tuple[Tensor, Tensor]:
    return randn(3, 4), torch.tensor([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]).bool()


CODE = "wrong_some_indices"

CASES = (
    *cases(
        CODE,
        ("last column", LastColumn, matrix),
        ("absolute", made(lambda x: x.abs(), lambda g, x: g[0].clone()), inputs((7,))),
        # The mask has the upper bound only.
        ("half a mask", made(lambda x: x.clamp(-0.5, 0.5), lambda g, x: g[0] * (x < 0.5)), matrix),
        ("masked fill", MaskedFill, _masked),
        ("ends", PADDED_POOL, inputs((2, 6))),
        ("one element", ONE_ELEMENT, matrix),
        # Quadratic everywhere.
        (
            "huber",
            made(
                lambda x: torch.where(x.abs() < 0.8, x * x / 2, 0.8 * (x.abs() - 0.4)),
                lambda g, x: g[0] * x,
            ),
            inputs((3, 5)),
        ),
    ),
    *cases(
        "wrong_operation",
        # Wrong everywhere; at 1 and 0 nobody sees it.
        (
            "right at one by chance",
            made(lambda x: x**3, lambda g, x: 3 * x * g[0]),
            lambda: (torch.tensor([1.0, 1, 1, 2, 0], dtype=torch.float64).requires_grad_(),),
        ),
        # Wrong everywhere but in the middle.
        (
            "flipped",
            made(lambda x: x.exp(), lambda g, x: (g[0] * x.exp()).flip(-1)),
            inputs((2, 3)),
        ),
        # Wrong everywhere, and hardly so near zero.
        (
            "nearly right near zero",
            made(lambda x: x.tanh(), lambda g, x: g[0] * (1 - x**2)),
            lambda: (
                torch.tensor([0.01, 0.02, 0.03, 0.9, 1.2], dtype=torch.float64).requires_grad_(),
            ),
        ),
    ),
    *cases(
        "none",
        ("relu, right", made(lambda x: x.clamp(min=0), lambda g, x: g[0] * (x > 0)), matrix),
    ),
)

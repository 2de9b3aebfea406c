"""Gradients written to repeated indices, where they have to be added up."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn

ROWS = torch.tensor([0, 2, 2, 1, 0])


def taken_back(g: Any, table: Tensor, index: Tensor) -> Tensor:
    grad = torch.zeros_like(table)
    grad[index] = g[0] * 2 * table[index]
    return grad


def copied_back(g: Any, x: Tensor, index: Tensor) -> Tensor:
    return torch.zeros_like(x).index_copy_(1, index, g[0])


def permuted_back(g: Any, x: Tensor, index: Tensor) -> Tensor:
    grad = torch.zeros_like(x)
    grad[index] = g[0]
    return grad


def masked_back(g: Any, x: Tensor) -> Tensor:
    """Nothing is repeated here: the gradient of the last row is lost."""
    grad = torch.zeros_like(x)
    grad[torch.arange(len(x) - 1)] = g[0][:-1]
    return grad


CASES = (
    *cases(
        "wrong_some_indices",
        (
            "rows",
            made(lambda table, index: table[index] ** 2, taken_back),
            lambda: (randn(3, 2), ROWS),
        ),
        (
            "index copy",
            made(lambda x, index: x.index_select(1, index), copied_back),
            lambda: (randn(2, 4), torch.tensor([3, 0, 3])),
        ),
        ("a lost row", made(lambda x: x * 1, masked_back), inputs((4, 2))),
    ),
    *cases(
        "missing_sum",
        (
            "every row twice",
            made(lambda table, index: table[index] ** 2, taken_back),
            lambda: (randn(3, 2), torch.tensor([0, 1, 2, 2, 0, 1, 1])),
        ),
    ),
    *cases(
        "none",
        (
            "a permutation, right",
            made(lambda x, index: x[index], permuted_back),
            lambda: (randn(4, 2), torch.tensor([2, 0, 3, 1])),
        ),
    ),
)

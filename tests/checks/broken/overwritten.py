"""Gradients written to repeated indices, where they have to be added up."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import Broken, made
from tests.checks.sample_functions import randn

ROWS = torch.tensor([0, 2, 2, 1, 0])
BAGS = torch.tensor([[0, 1, 1], [2, 0, 4], [4, 4, 2], [0, 1, 3]])


def taken_back(g: Any, table: Tensor, index: Tensor) -> Tensor:
    grad = torch.zeros_like(table)
    grad[index] = g[0] * 2 * table[index]
    return grad


def largest_so_far_back(g: Any, x: Tensor) -> Tensor:
    return torch.zeros_like(x).scatter(-1, x.cummax(-1).indices, g[0])


def bags_back(g: Any, table: Tensor, bags: Tensor) -> Tensor:
    grad = torch.zeros_like(table)
    for k in range(bags.shape[1]):
        grad[bags[:, k]] += g[0]
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
    Broken(
        name="rows",
        function=made(lambda table, index: table[index] ** 2, taken_back),
        inputs=lambda: (randn(3, 2), ROWS),
        code="wrong_some_indices",
    ),
    Broken(
        name="every row twice",
        function=made(lambda table, index: table[index] ** 2, taken_back),
        inputs=lambda: (randn(3, 2), torch.tensor([0, 1, 2, 2, 0, 1, 1])),
        code="missing_sum",
    ),
    Broken(
        name="cummax",
        function=made(lambda x: x.cummax(-1).values, largest_so_far_back),
        inputs=lambda: (randn(2, 6),),
        code="wrong_some_indices",
    ),
    Broken(
        name="embedding bag",
        function=made(lambda table, bags: table[bags].sum(1), bags_back),
        inputs=lambda: (randn(5, 3), BAGS),
        code="wrong_some_indices",
    ),
    Broken(
        name="index copy",
        function=made(lambda x, index: x.index_select(1, index), copied_back),
        inputs=lambda: (randn(2, 4), torch.tensor([3, 0, 3])),
        code="wrong_some_indices",
    ),
    Broken(
        name="a permutation, right",
        function=made(lambda x, index: x[index], permuted_back),
        inputs=lambda: (randn(4, 2), torch.tensor([2, 0, 3, 1])),
        code="none",
    ),
    Broken(
        name="a lost row",
        function=made(lambda x: x * 1, masked_back),
        inputs=lambda: (randn(4, 2),),
        code="wrong_some_indices",
    ),
)

"""A slope or a count that is missing: each element has its own wrong factor."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn

GROUPS = torch.tensor([0, 0, 0, 1, 1, 2])
MASK = torch.tensor([[1.0, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]], dtype=torch.float64)


def layer(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return (x @ w + b).tanh()


def layer_back(slope: Any) -> Any:
    def back(g: Any, x: Tensor, w: Tensor, b: Tensor) -> Any:
        d = g[0] * slope(layer(x, w, b))
        return d @ w.t(), x.t() @ d, d.sum(0)

    return back


def group_means(x: Tensor, groups: Tensor) -> Tensor:
    counts = torch.bincount(groups, minlength=3).double()
    return x.new_zeros(3, x.shape[1]).index_add(0, groups, x) / counts[:, None]


def pooled(x: Tensor) -> Tensor:
    return functional.avg_pool1d(x, 3, 1, 1, count_include_pad=False)


def pooled_back(g: Any, x: Tensor) -> Tensor:
    return functional.conv1d(g[0][:, None], g[0].new_ones(1, 1, 3), padding=1)[:, 0]


layer_inputs = inputs((3, 4), (4, 5), (5,))


matrix = inputs((3, 4))


SLOPE, COUNT = "factor_elements", "factor_count"

CASES = (
    *cases(
        SLOPE,
        ("no slope", made(layer, layer_back(torch.ones_like)), layer_inputs),
        ("another slope", made(layer, layer_back(torch.cosh)), layer_inputs),
        (
            "the other operand",
            made(lambda a, b: a * b, lambda g, a, b: (g[0] * a, g[0] * a)),
            inputs((3, 4), (3, 4)),
        ),
    ),
    *cases(
        "wrong_operation",
        ("half a slope", made(layer, layer_back(lambda y: 1 - y)), layer_inputs),
        ("a sum in every slope", made(torch.exp, lambda g, x: g[0] * (x.exp() + 1)), matrix),
    ),
    *cases(
        "none",
        ("the right slope", made(layer, layer_back(lambda y: 1 - y * y)), layer_inputs),
    ),
    *cases(
        COUNT,
        (
            "mean over groups",
            made(group_means, lambda g, x, groups: g[0][groups]),
            lambda: (randn(6, 2), GROUPS),
        ),
        (
            "mean over a mask",
            made(
                lambda x, mask: (x * mask).sum(1) / mask.sum(1),
                lambda g, x, mask: g[0][:, None] * mask,
            ),
            lambda: (randn(3, 4), MASK),
        ),
        ("mean without padding", made(pooled, pooled_back), inputs((2, 5))),
    ),
)

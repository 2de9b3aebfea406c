"""A slope or a count that is missing: each element has its own wrong factor."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tests.checks.broken.corpus import Broken, made
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


def layer_inputs() -> tuple[Tensor, ...]:
    return randn(3, 4), randn(4, 5, seed=1), randn(5, seed=2)


def matrix() -> tuple[Tensor]:
    return (randn(3, 4),)


SLOPE, COUNT = "factor_elements", "factor_count"

CASES = (
    Broken(
        name="no slope",
        function=made(layer, layer_back(torch.ones_like)),
        inputs=layer_inputs,
        code=SLOPE,
    ),
    Broken(
        name="half a slope",
        function=made(layer, layer_back(lambda y: 1 - y)),
        inputs=layer_inputs,
        code="wrong_operation",
    ),
    Broken(
        name="another slope",
        function=made(layer, layer_back(torch.cosh)),
        inputs=layer_inputs,
        code=SLOPE,
    ),
    Broken(
        name="the right slope",
        function=made(layer, layer_back(lambda y: 1 - y * y)),
        inputs=layer_inputs,
        code="none",
    ),
    Broken(
        name="slope of the input",
        function=made(lambda x, w: x.exp() @ w, lambda g, x, w: (g[0] @ w.t(), x.exp().t() @ g[0])),
        inputs=lambda: layer_inputs()[:2],
        code=SLOPE,
    ),
    Broken(
        name="sigmoid with half a slope",
        function=made(torch.sigmoid, lambda g, x: g[0] * x.sigmoid()),
        inputs=matrix,
        code=SLOPE,
    ),
    Broken(
        name="the other operand",
        function=made(lambda a, b: a * b, lambda g, a, b: (g[0] * a, g[0] * a)),
        inputs=lambda: (randn(3, 4), randn(3, 4, seed=1)),
        code=SLOPE,
    ),
    Broken(
        name="mean over groups",
        function=made(group_means, lambda g, x, groups: g[0][groups]),
        inputs=lambda: (randn(6, 2), GROUPS),
        code=COUNT,
    ),
    Broken(
        name="mean over a mask",
        function=made(
            lambda x, mask: (x * mask).sum(1) / mask.sum(1),
            lambda g, x, mask: g[0][:, None] * mask,
        ),
        inputs=lambda: (randn(3, 4), MASK),
        code=COUNT,
    ),
    Broken(
        name="mean without padding",
        function=made(pooled, pooled_back),
        inputs=lambda: (randn(2, 5),),
        code=COUNT,
    ),
    Broken(
        name="a sum in every slope",
        function=made(torch.exp, lambda g, x: g[0] * (x.exp() + 1)),
        inputs=matrix,
        code="wrong_operation",
    ),
)

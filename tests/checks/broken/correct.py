"""Correct Functions with misleading data: no diagnosis may be reported."""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made

LINEAR = made(
    lambda x, w, b: x @ w.t() + b, lambda g, x, w, b: (g[0] @ w, g[0].t() @ x, g[0].sum(0))
)


def softmax_back(g: Any, x: Tensor) -> Any:
    y = x.softmax(-1)
    return y * (g[0] - (g[0] * y).sum(-1, keepdim=True))


SOFTMAX = made(lambda x: x.softmax(-1), softmax_back)


def softmax_sum_back(g: Any, x: Tensor) -> Any:
    """Always one, so that its gradient is nothing but rounding."""
    return softmax_back((g[0][..., None].expand_as(x),), x)


SOFTMAX_SUM = made(lambda x: x.softmax(-1).sum(-1), softmax_sum_back)


def cube(x: Tensor) -> Tensor:
    sys.stdout.write("forward runs\n")
    return x**3


CUBE = made(cube, lambda g, x: g[0] * 3 * x**2)


def mean_and_deviation_back(g: Any, x: Tensor) -> Any:
    mean, rest = g
    return mean.expand_as(x) / len(x) + rest - rest.mean(0)


MEAN_AND_DEVIATION = made(lambda x: (x.mean(0), x - x.mean(0)), mean_and_deviation_back)


def _filled(value: float, *shape: int) -> Tensor:
    return torch.full(shape, value, dtype=torch.float64, requires_grad=True)


def _counted(*shape: int) -> Tensor:
    size = torch.Size(shape).numel()
    return torch.arange(size, dtype=torch.float64).reshape(shape).requires_grad_()


CASES = (
    *cases(
        "none",
        ("linear", LINEAR, inputs((3, 3), (3, 3), (3,))),
        ("linear of zeros", LINEAR, lambda: (_filled(0, 2, 2), _filled(0, 2, 2), _filled(0, 2))),
        ("linear of one feature", LINEAR, lambda: (_counted(4, 3), _counted(1, 3), _counted(1))),
        ("softmax", SOFTMAX, inputs((2, 3))),
        ("softmax of one", SOFTMAX, inputs((3, 1))),
        ("sum of a softmax", SOFTMAX_SUM, inputs((3, 4))),
        ("cube of ones", CUBE, lambda: (_filled(1, 3),)),
        ("cube of a number", CUBE, lambda: (_filled(-2),)),
        ("tiny numbers", CUBE, lambda: (_filled(1e-5, 2, 2),)),
        # The engine sums over the rows by itself.
        (
            "unreduced bias",
            made(lambda x, b: x - b, lambda g, x, b: (g[0], -g[0])),
            inputs((3, 3), (3,)),
        ),
        ("two outputs", MEAN_AND_DEVIATION, lambda: (_counted(2, 2),)),
        ("transpose", made(lambda x: x.t().clone(), lambda g, x: g[0].t()), inputs((3, 2))),
        (
            "quotient",
            made(lambda x, y: x / y, lambda g, x, y: (g[0] / y, -g[0] * x / y**2)),
            lambda: (_counted(2, 3), _filled(-2, 2, 3)),
        ),
        ("negated", made(lambda x: -x, lambda g, x: -g[0]), lambda: (_counted(3),)),
        (
            "clamped away from the kink",
            made(lambda x: x.clamp(min=0), lambda g, x: g[0] * (x > 0)),
            inputs((5,)),
        ),
    ),
)

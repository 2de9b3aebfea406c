"""One operation inside of backward is wrong: a product, a term, one round of a loop."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made


def chain_back(g: Any, x: Tensor, a: Tensor, b: Tensor) -> Any:
    d = g[0] @ b.t()
    return d @ a, x.t() @ d, (x @ a).t() @ g[0]


def centered_back(g: Any, x: Tensor) -> Tensor:
    return g[0] + g[0].mean(-1, keepdim=True)


def summed_back(g: Any, x: Tensor) -> Tensor:
    return g[0] - g[0].sum(-1, keepdim=True)


def shifted_back(g: Any, x: Tensor) -> Tensor:
    return g[0].cumsum(0) + x.sin() * g[0]


def reversed_sum_back(g: Any, x: Tensor) -> Tensor:
    return g[0].flip(0).cumsum(0).flip(0) + g[0].mean(0)


def in_place(x: Tensor) -> Tensor:
    y = x.clone()
    y[:, 1:] *= 3
    return y.cumsum(1)


def in_place_back(g: Any, x: Tensor) -> Tensor:
    grad = g[0].flip(1).cumsum(1).flip(1)
    grad[:, 1:] *= 2
    return grad


def recurrent(x: Tensor, w: Tensor) -> Tensor:
    hidden = torch.zeros_like(x[0])
    for each in x:
        hidden = (hidden @ w + each).tanh()
    return hidden


def recurrent_back(g: Any, x: Tensor, w: Tensor) -> Any:
    states = [torch.zeros_like(x[0])]
    for each in x:
        states.append((states[-1] @ w + each).tanh())
    grad_x, grad_w, d = torch.zeros_like(x), torch.zeros_like(w), g[0]
    for k in reversed(range(len(x))):
        d = d * (1 - states[k + 1] ** 2)
        if k == 2:
            d = d * 2
        grad_x[k] = d
        grad_w += states[k].t() @ d
        d = d @ w.t()
    return grad_x, grad_w


chain = inputs((3, 4), (4, 4), (4, 3))


def differences_back(g: Any, x: Tensor) -> Tensor:
    """Raises for a single element, which has no neighbor."""
    return g[0] * 2 * x + 0 * (x[1] - x[0])


CASES = (
    *cases(
        "fails_for_size",
        ("a single element", made(lambda x: x * x, differences_back), inputs((1,))),
        (
            "no element",
            made(lambda x: x * x, lambda g, x: g[0] * 2 * x + 0 * x.max()),
            inputs((0,)),
        ),
    ),
    *cases(
        "unknown",
        (
            "an index for no size",
            made(lambda x: x * x, lambda g, x: g[0] * 2 * x + 0 * x[7]),
            inputs((1,)),
        ),
    ),
    *cases(
        "transposed",
        ("inner matrix", made(lambda x, a, b: x @ a @ b, chain_back), chain),
        ("two operations", made(lambda x: x.cumsum(0) + x.cos(), shifted_back), inputs((4, 3))),
    ),
    *cases(
        "factor_sign",
        (
            "sign of one term",
            made(lambda x: x - x.mean(-1, keepdim=True), centered_back),
            inputs((3, 4)),
        ),
    ),
    *cases(
        "factor_batch_size",
        (
            "a sum for a mean in one term",
            made(lambda x: x - x.mean(-1, keepdim=True), summed_back),
            inputs((3, 4)),
        ),
    ),
    *cases(
        "surplus_term",
        ("a term too many", made(lambda x: x.cumsum(0), reversed_sum_back), inputs((4, 3))),
    ),
    *cases(
        "factor_constant",
        ("factor in place", made(in_place, in_place_back), inputs((2, 4))),
        ("one round of a loop", made(recurrent, recurrent_back), inputs((4, 2, 3), (3, 3))),
    ),
)

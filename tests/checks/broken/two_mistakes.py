"""Two mistakes in the gradient of one input."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made


def sums_back(g: Any, x: Tensor) -> Tensor:
    """Twice the gradient, and none for the last column."""
    grad = 2 * x.cos() * g[0].flip(-1).cumsum(-1).flip(-1)
    grad[:, -1] = 0
    return grad


def lost_twice_back(g: Any, x: Tensor) -> Tensor:
    grad = 1.1 * x.cos() * g[0].flip(-1).cumsum(-1).flip(-1)
    grad[:, -1] = 0
    return grad


matrices = inputs((3, 3), (3, 3))


CASES = (
    *cases(
        "factor_constant",
        ("factor and last column", made(lambda x: x.sin().cumsum(-1), sums_back), inputs((3, 4))),
        (
            "factor and transpose",
            made(lambda x, w: x @ w, lambda g, x, w: (3 * g[0] @ w, x.t() @ g[0])),
            matrices,
        ),
        (
            "in two inputs",
            made(lambda x, w: x @ w, lambda g, x, w: (3 * g[0] @ w.t(), g[0].t() @ x)),
            matrices,
        ),
    ),
    *cases(
        "wrong_some_indices",
        (
            "last column and a small factor",
            made(lambda x: x.sin().cumsum(-1), lost_twice_back),
            inputs((3, 4)),
        ),
    ),
    *cases(
        "unknown",
        (
            "a factor and values of no kind",
            made(lambda x: x.sin().cumsum(-1), lambda g, x: 2 * x.sin() * g[0].cumsum(-1)),
            inputs((3, 4)),
        ),
    ),
)

"""Two mistakes in the gradient of one input."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from tests.checks.broken.corpus import Broken, made
from tests.checks.sample_functions import randn


def sums_back(g: Any, x: Tensor) -> Tensor:
    """Twice the gradient, and none for the last column."""
    grad = 2 * x.cos() * g[0].flip(-1).cumsum(-1).flip(-1)
    grad[:, -1] = 0
    return grad


def lost_twice_back(g: Any, x: Tensor) -> Tensor:
    grad = 1.1 * x.cos() * g[0].flip(-1).cumsum(-1).flip(-1)
    grad[:, -1] = 0
    return grad


def matrices() -> tuple[Tensor, Tensor]:
    return randn(3, 3), randn(3, 3, seed=1)


CASES = (
    Broken(
        "factor and last column",
        made(lambda x: x.sin().cumsum(-1), sums_back),
        lambda: (randn(3, 4),),
        "factor_constant",
    ),
    Broken(
        "last column and a small factor",
        made(lambda x: x.sin().cumsum(-1), lost_twice_back),
        lambda: (randn(3, 4),),
        "wrong_some_indices",
    ),
    Broken(
        "factor and transpose",
        made(lambda x, w: x @ w, lambda g, x, w: (3 * g[0] @ w, x.t() @ g[0])),
        matrices,
        "factor_constant",
    ),
    Broken(
        "in two inputs",
        made(lambda x, w: x @ w, lambda g, x, w: (3 * g[0] @ w.t(), g[0].t() @ x)),
        matrices,
        "factor_constant",
    ),
    Broken(
        "a factor and values of no kind",
        made(lambda x: x.sin().cumsum(-1), lambda g, x: 2 * x.sin() * g[0].cumsum(-1)),
        lambda: (randn(3, 4),),
        "unknown",
    ),
)

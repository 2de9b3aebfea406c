"""A missing or an extra transpose."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from gradviz.gallery.scenes.linear_wrong import LinearFunction
from tests.checks.broken.corpus import cases, inputs, made

NOT_TRANSPOSED_BACK = made(lambda x: x.t() * 2, lambda g, x: g[0] * 2)


def layer_back(g: Any, x: Tensor, w: Tensor) -> Any:
    """After an activation, whose slopes hide the swap."""
    y = torch.sigmoid(x @ w)
    inner = g[0] * y * (1 - y)
    return inner @ w, x.t() @ inner


def _of_the_scene() -> tuple[Any, ...]:
    x = torch.arange(4, dtype=torch.float64).view(2, 2).requires_grad_()
    return x, torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_(), None


CASES = (
    *cases(
        "transposed",
        (
            "behind an activation",
            made(lambda x, w: torch.sigmoid(x @ w), layer_back),
            inputs((2, 4), (4, 4)),
        ),
        ("scene", LinearFunction, _of_the_scene),
        (
            "view for a transpose",
            made(lambda x: x.t().contiguous() * 2, lambda g, x: g[0].reshape(x.shape) * 2),
            inputs((2, 3)),
        ),
        ("refused by the engine", NOT_TRANSPOSED_BACK, inputs((2, 3))),
        ("not transposed back", NOT_TRANSPOSED_BACK, inputs((3, 3))),
        # With three dimensions, the permutation is not its own inverse.
        (
            "same permutation",
            made(lambda x: x.permute(2, 0, 1) * 2, lambda g, x: g[0].permute(2, 0, 1) * 2),
            inputs((2, 2, 2)),
        ),
        # Raises wherever the sizes differ.
        (
            "ill sized",
            made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w.t(), x @ g[0])),
            inputs((4, 3), (3, 2)),
        ),
    ),
    *cases(
        "none",
        (
            "right",
            made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w.t(), x.t() @ g[0])),
            inputs((2, 3), (3, 3)),
        ),
    ),
)

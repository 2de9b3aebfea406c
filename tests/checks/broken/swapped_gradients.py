"""Gradients returned for the wrong inputs."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import cases, inputs, made

OWN_FACTOR = made(lambda x, y: x * y, lambda g, x, y: (g[0] * x, g[0] * y))
"""Each input gets what the other one should get."""


MATRICES_EXCHANGED = made(lambda x, w: x @ w, lambda g, x, w: (x.t() @ g[0], g[0] @ w.t()))


def one_part_of_one_back(g: Any, x: Tensor, y: Tensor) -> Any:
    """Where all values are 1, the first output shows no error."""
    first, second = g
    return first * x, first * y + second * 2 * x


ONE_PART_OF_ONE = made(lambda x, y: (x * y, (x**2).sum()), one_part_of_one_back)


def _ones(*shape: int) -> Tensor:
    return torch.ones(shape, dtype=torch.float64, requires_grad=True)


CASES = (
    *cases(
        "swapped_gradients",
        ("ones", ONE_PART_OF_ONE, lambda: (_ones(2, 2), _ones(2, 2))),
        ("numbers", OWN_FACTOR, inputs((), ())),
        ("square matrices", MATRICES_EXCHANGED, inputs((3, 3), (3, 3))),
        ("matrices that the engine refuses", MATRICES_EXCHANGED, inputs((4, 3), (3, 2))),
        # Looks like two wrong factors, but has one cause.
        (
            "weighted sum",
            made(lambda x, y: 2 * x + 5 * y, lambda g, x, y: (5 * g[0], 2 * g[0])),
            inputs((3,), (3,)),
        ),
        (
            "three",
            made(
                lambda x, y, z: x * y * z,
                lambda g, x, y, z: (g[0] * x * y, g[0] * y * z, g[0] * x * z),
            ),
            inputs((2,), (2,), (2,)),
        ),
    ),
)

"""Functions that return different results for equal arguments."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn


class Dropout(Function):
    """Its backward is right for its forward, and forward draws another mask each time."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, p: float) -> Tensor:
        mask = (torch.rand_like(x) > p).to(x.dtype) / (1 - p)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (mask,) = ctx.saved_tensors
        return gradients[0] * mask, None


def noisy_gradient_back(g: Any, x: Tensor, w: Tensor) -> Any:
    noise = torch.from_numpy(np.random.normal(0, 0.001, size=tuple(w.shape)))
    return (g[0] @ w.t(), x.t() @ g[0] + noise)


NoisyGradient = made(lambda x, w: x @ w, noisy_gradient_back)
"""Noise for privacy, in NumPy."""


class Jitter(Function):
    """Noise in forward from a separate generator, far too small to see in a plot."""

    generator = torch.Generator().manual_seed(0)

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        noise = torch.randn(x.shape, generator=Jitter.generator, dtype=x.dtype)
        return x**2 + 1e-6 * noise

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * 2 * x


KnownMask = made(lambda x, mask: x * mask, lambda g, x, mask: (g[0] * mask, None))
"""Right: the mask is an argument."""


class DrawsInVain(Function):
    """Right: random numbers are drawn, and change nothing."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        torch.rand(3)
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        random.random()
        return gradients[0] * 2


CASES = (
    *cases(
        "nondeterministic",
        ("dropout", Dropout, lambda: (randn(4, 2), 0.5)),
        ("noisy gradient", NoisyGradient, inputs((2, 3), (3, 2))),
        ("jitter", Jitter, inputs((5,))),
        ("torch's dropout", lambda x: functional.dropout(x.sin()), inputs((4, 4))),
    ),
    *cases(
        "none",
        ("known mask", KnownMask, lambda: (randn(3), torch.tensor([1.0, 0.0, 1.0]).double())),
        ("draws in vain", DrawsInVain, inputs((2, 2))),
        ("in eval", lambda x: functional.dropout(x, training=False), inputs((4,))),
    ),
)

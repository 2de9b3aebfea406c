"""Derivatives that lack a term because a value was treated as a constant."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn

SOFTMAX_WITHOUT_SUM = made(lambda x: x.softmax(-1), lambda g, x: g[0] * x.softmax(-1))


def stable_softmax(x: Tensor) -> Tensor:
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def like_sigmoid_back(g: Any, x: Tensor) -> Any:
    """Only the diagonal of the Jacobian."""
    y = stable_softmax(x)
    return g[0] * y * (1 - y)


def softmax_back(g: Any, x: Tensor) -> Any:
    y = x.softmax(-1)
    return y * (g[0] - (g[0] * y).sum(-1, keepdim=True))


class LayerNorm(Function):
    """Mean and deviation treated as constants."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        rstd = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
        xhat = (x - mean) * rstd
        ctx.save_for_backward(xhat, w, rstd)
        return xhat * w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        xhat, w, rstd = ctx.saved_tensors
        (g,) = gradients
        return g * w * rstd, (g * xhat).sum(0)


class Quotient(Function):
    """The denominator's part of the quotient rule."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x / (1 + x * x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] / (1 + x * x)


def sin_and_cosine_back(g: Any, x: Tensor, y: Tensor) -> Any:
    """Of two outputs, one is forgotten for one input."""
    g0, g1 = g
    return g0 * y, g0 * x + g1


SIN_AND_COSINE = made(lambda x, y: (x * y, x.sin() + y), sin_and_cosine_back)


class Recurrent(Function):
    """The gradient does not go back through the state."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, u: Tensor) -> Tensor:
        h = x.new_zeros(w.shape[1])
        states = []
        for step in x:
            h = torch.tanh(step @ w + h @ u)
            states.append(h)
        ctx.save_for_backward(x, w, u, torch.stack(states))
        return torch.stack(states)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w, _, h = ctx.saved_tensors
        d = gradients[0] * (1 - h * h)
        before = torch.cat([h.new_zeros(1, h.shape[1]), h[:-1]])
        return d @ w.t(), x.t() @ d, before.t() @ d


def inside_others(x: Tensor) -> Tensor:
    result: Tensor = SOFTMAX_WITHOUT_SUM.apply(x.sin() * 2)
    return result * 3


one = inputs((3, 4))


CASES = (
    *cases(
        "missing_term",
        # The product rule has two terms.
        (
            "product rule",
            made(lambda x: x * torch.sin(x), lambda g, x: g[0] * x * torch.cos(x)),
            one,
        ),
        ("softmax like sigmoid", made(stable_softmax, like_sigmoid_back), one),
        (
            "log-softmax without sum",
            made(lambda x: functional.log_softmax(x, dim=-1), lambda g, x: g[0]),
            inputs((4,)),
        ),
        (
            "standardize",
            made(lambda x: (x - x.mean()) / x.std(), lambda g, x: g[0] / x.std()),
            inputs((6,)),
        ),
        (
            "scaled by maximum",
            made(lambda x: x / x.abs().max(), lambda g, x: g[0] / x.abs().max()),
            inputs((5,)),
        ),
        ("one output for one input", SIN_AND_COSINE, inputs((3,), (3,))),
        (
            "batch norm",
            made(
                lambda x: functional.batch_norm(x, None, None, training=True),
                lambda g, x: g[0] / (x.var(0, unbiased=False) + 1e-05).sqrt(),
            ),
            inputs((5, 3)),
        ),
        # The derivative of the denominator alone.
        (
            "cross entropy",
            made(
                lambda x, target: functional.cross_entropy(x, target),
                lambda g, x, target: g[0] * x.softmax(-1) / len(x),
            ),
            lambda: (randn(3, 4), torch.tensor([0, 1, 3])),
        ),
        ("recurrent", Recurrent, inputs((5, 2), (2, 3), (3, 3))),
        ("inside others", inside_others, one),
    ),
    *cases(
        "none",
        ("softmax, right", made(lambda x: x.softmax(-1), softmax_back), one),
    ),
)

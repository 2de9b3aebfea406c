"""Derivatives that lack a term because a value was treated as a constant."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn import functional

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn


class SoftmaxWithoutSum(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = torch.softmax(x, dim=-1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        return gradients[0] * y


class SoftmaxLikeSigmoid(Function):
    """Only the diagonal of the Jacobian."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
        y = e / e.sum(dim=-1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        return gradients[0] * y * (1 - y)


class StableSoftmaxWithoutSum(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
        y = e / e.sum(dim=-1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        return gradients[0] * y


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


class LayerNormWithoutVariance(Function):
    """The mean is differentiated, the deviation is not."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        std = torch.sqrt(((x - mean) ** 2).mean(-1, keepdim=True) + 1e-5)
        xhat = (x - mean) / std
        ctx.save_for_backward(xhat, w, std)
        return xhat * w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        xhat, w, std = ctx.saved_tensors
        (g,) = gradients
        gh = g * w
        return (gh - gh.mean(-1, keepdim=True)) / std, (g * xhat).sum(0)


def layer_norm_of_torch_back(g: Any, x: Tensor, w: Tensor, b: Tensor) -> Any:
    mean, var = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    rstd = (var + 1e-5).rsqrt()
    xhat, gh = (x - mean) * rstd, g[0] * w
    grad_x = rstd * (gh - xhat * (gh * xhat).mean(-1, keepdim=True))
    return grad_x, (g[0] * xhat).sum(0), g[0].sum(0)


LAYER_NORM_OF_TORCH = made(
    lambda x, w, b: functional.layer_norm(x, (x.shape[-1],), w, b), layer_norm_of_torch_back
)


class Standardize(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        std = x.std()
        ctx.save_for_backward(std)
        return (x - x.mean()) / std

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (std,) = ctx.saved_tensors
        return gradients[0] / std


class Normalize(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        norm = x.norm(dim=1, keepdim=True)
        ctx.save_for_backward(norm)
        return x / norm

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (norm,) = ctx.saved_tensors
        return gradients[0] / norm


class Residual(Function):
    """The residual connection is forgotten."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        h = torch.tanh(x @ w)
        ctx.save_for_backward(x, w, h)
        return x + h

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w, h = ctx.saved_tensors
        d = gradients[0] * (1 - h * h)
        return d @ w.t(), x.t() @ d


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


class ScaledByMaximum(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        scale = x.abs().max()
        ctx.save_for_backward(scale)
        return x / scale

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (scale,) = ctx.saved_tensors
        return gradients[0] / scale


class Attention(Function):
    """The softmax inside is differentiated without its sum."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        p = torch.softmax(q @ k.t(), dim=-1)
        ctx.save_for_backward(q, k, v, p)
        return p @ v

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        q, k, v, p = ctx.saved_tensors
        (g,) = gradients
        ds = p * (g @ v.t())
        return ds @ k, ds.t() @ q, p.t() @ g


def sin_and_cosine_back(g: Any, x: Tensor, y: Tensor) -> Any:
    """Of two outputs, one is forgotten for one input."""
    g0, g1 = g
    return g0 * y, g0 * x + g1


SIN_AND_COSINE = made(lambda x, y: (x * y, x.sin() + y), sin_and_cosine_back)


def weight_decay_back(g: Any, x: Tensor, w: Tensor) -> Any:
    """The penalty is in the loss, and not in the gradient."""
    d = 2 * g[0] * (x @ w)
    return d @ w.t(), x.t() @ d


WEIGHT_DECAY = made(lambda x, w: ((x @ w) ** 2).sum() + 0.1 * (w**2).sum(), weight_decay_back)


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


class Softmax(Function):
    """Right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = torch.softmax(x, dim=-1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        (g,) = gradients
        return y * (g - (g * y).sum(-1, keepdim=True))


def inside_others(x: Tensor) -> Tensor:
    result: Tensor = SoftmaxWithoutSum.apply(x.sin() * 2)
    return result * 3


one = inputs((3, 4))


with_weight = inputs((3, 4), (4,))


CASES = (
    *cases(
        "missing_term",
        # The product rule has two terms.
        (
            "product rule",
            made(lambda x: x * torch.sin(x), lambda g, x: g[0] * x * torch.cos(x)),
            one,
        ),
        (
            "swish",
            made(lambda x: functional.silu(x), lambda g, x: g[0] * torch.sigmoid(x)),
            inputs((5,)),
        ),
        ("softmax without sum", SoftmaxWithoutSum, one),
        ("softmax like sigmoid", SoftmaxLikeSigmoid, one),
        ("stable softmax without sum", StableSoftmaxWithoutSum, one),
        (
            "log-softmax without sum",
            made(lambda x: functional.log_softmax(x, dim=-1), lambda g, x: g[0]),
            inputs((4,)),
        ),
        ("layer norm", LayerNorm, with_weight),
        ("layer norm without variance", LayerNormWithoutVariance, with_weight),
        ("layer norm without mean", LAYER_NORM_OF_TORCH, inputs((3, 4), (4,), (4,))),
        ("standardize", Standardize, inputs((6,))),
        ("normalize", Normalize, one),
        ("residual", Residual, inputs((2, 3), (3, 3))),
        # The same matrix stands on both sides.
        ("gram matrix", made(lambda x: x @ x.t(), lambda g, x: g[0] @ x), one),
        ("quotient", Quotient, one),
        ("scaled by maximum", ScaledByMaximum, inputs((5,))),
        ("attention", Attention, inputs((3, 2), (4, 2), (4, 2))),
        ("one output for one input", SIN_AND_COSINE, inputs((3,), (3,))),
        (
            "polynomial",
            made(lambda x: 2 * x**3 + x**2 - 5 * x, lambda g, x: g[0] * (6 * x**2 + 2 * x)),
            inputs((4,)),
        ),
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
        ("weight decay", WEIGHT_DECAY, inputs((3, 2), (2, 2))),
        # The result is the mean of the true gradient, although nothing is averaged.
        (
            "variance times sum",
            made(lambda x: x.var() * x.sum(), lambda g, x: g[0] * x.var() * torch.ones_like(x)),
            inputs((5,)),
        ),
        ("inside others", inside_others, one),
    ),
    *cases(
        "none",
        ("softmax, right", Softmax, one),
    ),
)

"""Correct Functions with wrong numerical Jacobians: rounding, eps, kinks and jumps."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.model.check_settings import CheckSettings
from tests.checks.broken.corpus import Broken, made
from tests.checks.sample_functions import randn


def single(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float32).requires_grad_()


def at(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


class Exponential(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        return gradients[0] * y


class Linear(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w.t()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] @ w, gradients[0].t() @ x


class DoubledInSingle(Linear):
    """Wrong, and in float32: the noise must not hide it."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] @ w, 2 * gradients[0].t() @ x


def single_precision_inside_back(g: Any, x: Tensor) -> Any:
    y = torch.sigmoid(x)
    return g[0] * y * (1 - y)


SinglePrecisionInside = made(
    lambda x: torch.sigmoid(x.float()).to(x.dtype), single_precision_inside_back
)
"""As a kernel does that is written for float32 only."""


def in_numpy(x: Tensor, power: int) -> Tensor:
    return torch.from_numpy(x.detach().numpy().astype("float32") ** power).double()


SinglePrecisionInNumpy = made(lambda x: in_numpy(x, 3), lambda g, x: g[0] * 3 * x**2)


SinglePrecisionPart = made(lambda x: in_numpy(x, 2) * x, lambda g, x: g[0] * 3 * x**2)
"""Only one of two factors leaves torch, so that the output is not rounded."""


class Wave(Function):
    """The sine of a multiple."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, times: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.times = times
        return torch.sin(times * x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * ctx.times * torch.cos(ctx.times * x), None


OnALargeNumber = made(lambda x: 1000000000.0 + x**2, lambda g, x: g[0] * 2 * x)
"""The change by eps is lost in the last digits of the output."""


OnAHugeNumber = made(lambda x: x.cos() + 30000000000000.0, lambda g, x: -g[0] * x.sin())
"""No usual eps changes a bit of the output."""


class SquaredDistance(Function):
    """One large element hides what the others do to the sum."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return (x - y).square().sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        found = 2 * gradients[0] * (x - y)
        return found, -found


class SquaredDistanceHalved(SquaredDistance):
    """Wrong, as the large element shows."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        found = gradients[0] * (x - y)
        return found, -found


RoundedOnALargeNumber = made(lambda x: x.round() + 100000000000.0, lambda g, x: g[0])
"""Really constant, although the output is large."""


Reciprocal = made(lambda x: x.reciprocal(), lambda g, x: -g[0] / x**2)


Logarithm = made(lambda x: x.log(), lambda g, x: g[0] / x)


class Rectifier(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * (x > 0)


HardTanh = made(
    lambda x, w: x.clamp(-1, 1) * w,
    lambda g, x, w: (g[0] * w * ((x >= -1) & (x <= 1)), g[0] * x.clamp(-1, 1)),
)


class Maximum(Function):
    """Gives the whole gradient to the first of equal elements."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        values, ctx.indices = x.max(dim=1)
        ctx.form = x.shape
        return values

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        found = gradients[0].new_zeros(ctx.form)
        return found.scatter_(1, ctx.indices[:, None], gradients[0][:, None])


Fraction = made(lambda x: x - x.floor(), lambda g, x: g[0])
"""Jumps at every integer."""


AbsoluteFromTheLeft = made(
    lambda x: x.abs().sum(), lambda g, x: g[0] * torch.where(x > 0, 1.0, -1.0)
)


class RectifierDoubled(Rectifier):
    """Wrong beside its kink as well."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * gradients[0] * (x > 0)


def _said(code: str, function: Any, inputs: Any, name: str = "", **settings: Any) -> Broken:
    return Broken(
        name or function.__name__, function, inputs, code, settings=CheckSettings(**settings)
    )


def _linear() -> tuple[Tensor, Tensor]:
    return single(3, 4), single(2, 4, seed=1)


CASES = (
    _said("float32_noise", Exponential, lambda: (single(2, 3),), "float32"),
    _said("float32_noise", Linear, _linear, "float32, two inputs"),
    _said(
        "float32_noise", Exponential, lambda: (single(3).detach().half().requires_grad_(),), "half"
    ),
    _said(
        "float32_noise", SinglePrecisionInside, lambda: (randn(3, 2),), "single precision inside"
    ),
    _said("float32_noise", SinglePrecisionInNumpy, lambda: (randn(5),), "in NumPy"),
    _said("float32_noise", SinglePrecisionPart, lambda: (randn(5),), "a part in NumPy"),
    _said("factor_constant", DoubledInSingle, _linear),
    _said("eps_sensitive", Wave, lambda: (randn(5), 1000.0), "long step", eps=1e-1),
    _said("eps_sensitive", Wave, lambda: (randn(5), 1e5), "fast wave"),
    _said("eps_sensitive", Exponential, lambda: (randn(5),), "short step", eps=1e-14),
    _said("eps_sensitive", Exponential, lambda: (randn(5),), "very long step", eps=0.5),
    _said("eps_sensitive", OnALargeNumber, lambda: (randn(4),), "on a large number"),
    _said("eps_sensitive", OnALargeNumber, lambda: (at(3e8, -2e9),), "large input"),
    _said("eps_sensitive", Logarithm, lambda: (at(1e-7, 1, 2),), "edge of the domain"),
    _said("eps_sensitive", OnAHugeNumber, lambda: (at(0.3, 1.2, -2),), "on a huge number"),
    _said("eps_sensitive", SquaredDistance, lambda: (at(2e6, 3, 4), at(1, 2, -2))),
    _said("factor_constant", SquaredDistanceHalved, lambda: (at(20, 3, 4), at(1, 2, -2))),
    _said(
        "straight_through",
        RoundedOnALargeNumber,
        lambda: (at(0.2, 1.1, -1.9),),
        "rounded on a large number",
    ),
    _said("eps_sensitive", Reciprocal, lambda: (at(4e-7, 2),), "beside a pole"),
    _said("kink", Rectifier, lambda: (at(0, 1, -1, 0),), "at zero"),
    _said("kink", Rectifier, lambda: (torch.zeros(2, 2).double().requires_grad_(),), "all zeros"),
    _said("kink", Rectifier, lambda: (torch.zeros(3).requires_grad_(),), "zeros in float32"),
    _said("kink", HardTanh, lambda: (at(1, 0.5, -1), randn(3)), "hard tanh"),
    _said("kink", Maximum, lambda: (at(2, 1, 2, 0, 0, 0).detach().view(2, 3).requires_grad_(),)),
    _said("kink", Fraction, lambda: (at(0.5, 2, 1.7),), "fraction"),
    _said("kink", AbsoluteFromTheLeft, lambda: (at(0, 1, -2),), "absolute from the left"),
    _said("factor_constant", RectifierDoubled, lambda: (at(0, 1, -1, 0.3, 2),)),
    _said("none", Rectifier, lambda: (randn(3, 3),), "away from zero"),
    _said("none", Exponential, lambda: (randn(3, 3),), "right"),
    _said(
        "none", Linear, lambda: (single(2, 3), single(2, 3, seed=1)), "coarse", eps=1e-2, atol=1e-2
    ),
)

"""Functions whose backward is correct but whose double backward is wrong."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import randn


class SavesTheDerivative(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(3 * x * x)
        return x**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.saved_tensors[0]


class KeepsItOnTheContext(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.derivative = x.cos()
        return x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.derivative


class SavesAPart(Function):
    """x exp(x): the exponential has no history, x has one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        exponential = x.exp()
        ctx.save_for_backward(x, exponential)
        return x * exponential

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, exponential = ctx.saved_tensors
        return gradients[0] * (exponential + x * exponential)


class SavesItsOutputAndAPart(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        exponential = x.exp()
        output = x * exponential
        ctx.save_for_backward(output, exponential)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        output, exponential = ctx.saved_tensors
        return gradients[0] * (exponential + output)


class Detaches(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2 * ctx.saved_tensors[0].detach()


class DetachesOneOfTwo(Function):
    """x cubed by x x: half of the second derivative is there, which looks like a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * 3 * x * x.data


class TakesANumber(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x.sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.sum().item() + (gradients[0] * x).sum()


class ByNumPy(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        gradient, x = gradients[0].detach().numpy(), ctx.saved_tensors[0].detach().numpy()
        return torch.from_numpy(gradient * 2 * x)


class BiasWithoutHistory(Function):
    """gradgradcheck returns True."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sin() + bias

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.cos(), gradients[0].detach().sum(0)


class Once(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.saved_tensors[0].exp()


class SavesItsOutput(Function):
    """Right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        output = x.exp()
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.saved_tensors[0]


class Product(Function):
    """Right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] @ w.t(), x.t() @ gradients[0]


def _broken(name: str, function: Any, *shape: int, code: str = "double_backward_cut") -> Broken:
    return Broken(name, function, lambda: (randn(*shape),), code, order=2)


CASES = (
    _broken("saved derivative", SavesTheDerivative, 3),
    _broken("saved derivative zero-dimensional", SavesTheDerivative),
    _broken("on the context", KeepsItOnTheContext, 2, 2),
    _broken("saved part", SavesAPart, 3),
    _broken("saved part and output", SavesItsOutputAndAPart, 3),
    _broken("detach", Detaches, 3),
    _broken("one of two", DetachesOneOfTwo, 3),
    _broken("item", TakesANumber, 3),
    _broken("numpy", ByNumPy, 3),
    _broken("once", Once, 3),
    Broken(
        "bias without history",
        BiasWithoutHistory,
        lambda: (randn(2, 3), randn(3, seed=1)),
        "double_backward_cut",
        order=2,
    ),
    _broken("output", SavesItsOutput, 3, code="none"),
    Broken("product", Product, lambda: (randn(2, 3), randn(3, 2, seed=1)), "none", order=2),
)

"""Functions whose backward is correct but whose double backward is wrong."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tests.checks.broken.corpus import cases, inputs, made


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


def by_num_py_back(g: Any, x: Tensor) -> Any:
    gradient, x = g[0].detach().numpy(), x.detach().numpy()
    return torch.from_numpy(gradient * 2 * x)


BY_NUM_PY = made(lambda x: x * x, by_num_py_back)


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


CASES = (
    *cases(
        "double_backward_cut",
        ("saved derivative", SavesTheDerivative, inputs((3,))),
        ("saved derivative zero-dimensional", SavesTheDerivative, inputs(())),
        ("on the context", KeepsItOnTheContext, inputs((2, 2))),
        ("saved part and output", SavesItsOutputAndAPart, inputs((3,))),
        ("detach", made(lambda x: x * x, lambda g, x: g[0] * 2 * x.detach()), inputs((3,))),
        # x cubed by x x: half of the second derivative is there, which looks like a factor.
        ("one of two", made(lambda x: x**3, lambda g, x: g[0] * 3 * x * x.data), inputs((3,))),
        ("numpy", BY_NUM_PY, inputs((3,))),
        ("once", Once, inputs((3,))),
        # gradgradcheck returns True.
        (
            "bias without history",
            made(
                lambda x, bias: x.sin() + bias,
                lambda g, x, bias: (g[0] * x.cos(), g[0].detach().sum(0)),
            ),
            inputs((2, 3), (3,)),
        ),
        order=2,
    ),
    *cases(
        "none",
        ("output", SavesItsOutput, inputs((3,))),
        (
            "product",
            made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w.t(), x.t() @ g[0])),
            inputs((2, 3), (3, 2)),
        ),
        order=2,
    ),
)

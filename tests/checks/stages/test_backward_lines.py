"""Each block lists the lines of backward that compute its gradient, where known."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tests.checks.sample_functions import block_of, checked, randn

once: Any = once_differentiable


class Plain(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors  # w0
        (g,) = gradients
        grad_w = x  # w1
        grad_w = grad_w * g  # w2
        return g * w, grad_w  # x1 w3


class OnConditions(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    @once
    def backward(ctx: Any, *gradients: Any) -> Any:
        grad_x = grad_w = None  # x1 w1
        x, w = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            grad_x = gradients[0] * w  # x2
            grad_x[0].mul_(1)  # x3
        if ctx.needs_input_grad[1]:
            made = gradients[0] * x  # w2
            grad_w = made  # w3
        return (
            grad_x,  # x4
            grad_w,  # w4
        )


class InAList(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        grads = [None, None]  # x1 w1
        grads[0] = gradients[0] * ctx.saved_tensors[1]  # x2
        grads[1] = gradients[0] * ctx.saved_tensors[0]  # w2
        return tuple(grads)  # x3 w3


class Alone(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        if not x.numel():
            return gradients[0]  # x1
        result = 2 * x  # x2
        result *= gradients[0]  # x3
        return result  # x4


class FromElsewhere(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return _both(gradients[0], x, w)  # x1


def _both(g: Tensor, x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    return g * w, g * x


def marked(cls: type[Function], letter: str) -> list[int]:
    lines, first = inspect.getsourcelines(cls)
    found = []
    for number, line in enumerate(lines, first):
        words = line.partition("#")[2].split()
        if any(word[0] == letter and word[1:].isdigit() for word in words):
            found.append(number)
    return found[::-1]


@pytest.mark.parametrize("cls", [Plain, OnConditions, InAList])
def test_lines_of_each_argument(cls: Any) -> None:
    report, _ = checked(cls, (randn(3), randn(3, seed=1)))
    for argument, letter in enumerate("xw"):
        lines = block_of(report, 0, argument).lines
        assert [each.line for each in lines] == marked(cls, letter)
        assert {each.path for each in lines} == {__file__}
        assert all(each.source is None for each in lines)


def test_a_single_value() -> None:
    report, _ = checked(Alone, (randn(3),))
    assert [each.line for each in block_of(report, 0, 0).lines] == marked(Alone, "x")


def test_a_function_that_uses_one() -> None:
    def around(w: Tensor, x: Tensor) -> Tensor:
        result: Tensor = Plain.apply(x.sin(), w) * 2
        return result

    report, _ = checked(around, (randn(3), randn(3, seed=1)))
    for argument, letter in enumerate("wx"):
        lines = block_of(report, 0, argument).lines
        assert [each.line for each in lines] == marked(Plain, letter)


def test_nothing_is_made_up() -> None:
    report, _ = checked(FromElsewhere, (randn(3), randn(3, seed=1)))
    assert block_of(report, 0, 1).lines == ()
    report, _ = checked(torch.sin, (randn(3),))
    assert block_of(report, 0, 0).lines == ()

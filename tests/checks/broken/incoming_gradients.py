"""Mistakes that depend on grad_output: its strides, and writing to it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import cases, inputs, made
from tests.checks.sample_functions import randn


def numbers_at(tensor: Tensor) -> Tensor:
    """The memory from a tensor's first element on, as a C kernel sees it."""
    address = ctypes.cast(tensor.data_ptr(), ctypes.POINTER(ctypes.c_double))
    numbers = np.ctypeslib.as_array(address, (tensor.numel(),)).copy()
    return torch.from_numpy(numbers).view(tensor.shape)


class Square(Function):
    """The subclasses multiply grad_output by 2 x in different ways."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x


class AsStrided(Square):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0].as_strided(x.shape, x.stride()) * 2 * x


class ReshapesFlat(Square):
    """Right."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return (gradients[0].reshape(-1) * 2 * x.reshape(-1)).view(x.shape)


class MultipliesInPlace(Square):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].mul_(2 * ctx.saved_tensors[0])


def square(back: Callable[[Tensor, Tensor], Tensor]) -> type[Function]:
    """A square, of which this backward takes the gradient and the input."""
    return made(lambda x: x * x, lambda g, x: back(g[0], x))


def in_storage(g: Tensor) -> Tensor:
    flat = g.new_empty(0).set_(g.untyped_storage())
    return flat[: g.numel()].view(g.shape)


def dense_alone(g: Tensor, x: Tensor) -> Tensor:
    assert g.is_contiguous()
    return g * 2 * x


BY_POINTER = square(lambda g, x: numbers_at(g) * 2 * x)
BY_STORAGE = square(lambda g, x: in_storage(g) * 2 * x)
VIEWS_FLAT = square(lambda g, x: (g.view(-1) * 2 * x.reshape(-1)).view(x.shape))


def masked_later_back(g: Any, x: Tensor, y: Tensor) -> Any:
    """Scales grad_output and then uses it for the other input, correctly."""
    grad_y = g[0] * x
    g[0].mul_(y)
    return g[0].clone(), grad_y


def convolved_back(g: Any, image: Tensor, scale: Tensor) -> Any:
    """Assumes that the image is dense."""
    grad_output = numbers_at(g[0])
    return grad_output * scale[:, None, None], (grad_output * image).sum((0, 2, 3))


CONVOLVED = made(lambda image, scale: image * scale[:, None, None], convolved_back)
"""One number per channel of an image."""

HANDS_IT_ON = made(lambda x, y: x + y, lambda g, x, y: (g[0], g[0]))
"""Right: returns the incoming gradient itself, for both of its inputs."""


class Rectified(Function):
    """In place, as in many tutorials, but without the clone."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (grad_output,) = gradients
        grad_output[ctx.saved_tensors[0] < 0] = 0
        return grad_output


class SavesItsOutput(Function):
    """Correct, also with a view of grad_output and a part that needs no gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        y = x.exp()
        order = x.argsort()
        ctx.save_for_backward(y)
        ctx.mark_non_differentiable(order)
        return y, order

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].t().mul(ctx.saved_tensors[0].t()).t()


class TwoOutputs(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x * 2, x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        first, second = gradients
        return first * 2 + second * ctx.saved_tensors[0].cos()


class TwoOutputsWithCare(TwoOutputs):
    """Right."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        first, second = gradients
        total = None if first is None else first * 2
        if second is not None:
            more = second * ctx.saved_tensors[0].cos()
            total = more if total is None else total + more
        return total


class Added(Function):
    """Correct: modifies its input in place and marks it dirty."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0]


def _complex() -> tuple[Any, ...]:
    return (torch.complex(randn(2, 3).detach(), randn(2, 3, seed=1).detach()).requires_grad_(),)


def apply(cls: Any, *arguments: Any) -> Any:
    return cls.apply(*arguments)


def read_inside(x: Tensor) -> Tensor:
    with_equal_sizes: Tensor = apply(AsStrided, x.sin())
    return with_equal_sizes.t().sum(0)


def added(x: Tensor) -> Tensor:
    result: Tensor = apply(Added, x.clone())
    return result


CASES = (
    *cases(
        "stride_blind",
        ("pointer", BY_POINTER, inputs((3, 4))),
        ("pointer to an image", CONVOLVED, inputs((2, 3, 2, 2), (3,))),
        ("storage zero-dimensional", BY_STORAGE, inputs(())),
        ("as strided", AsStrided, inputs((2, 3))),
        ("view", VIEWS_FLAT, inputs((2, 3))),
        ("insists on dense", square(dense_alone), inputs((2, 3))),
        ("inside others", read_inside, inputs((3, 2))),
    ),
    *cases(
        "mutates_grad_output",
        ("mul_", MultipliesInPlace, inputs((2, 3))),
        ("mask", Rectified, inputs((3, 4))),
        ("two inputs", made(lambda x, y: x * y, masked_later_back), inputs((2, 3), (2, 3))),
    ),
    *cases("undefined_gradient", ("two outputs", TwoOutputs, inputs((2, 3)))),
    *cases(
        "none",
        (
            "pointer to dense",
            square(lambda g, x: numbers_at(g.contiguous()) * 2 * x),
            inputs((3, 4)),
        ),
        ("reshape", ReshapesFlat, inputs((2, 3))),
        (
            "numpy, right",
            square(lambda g, x: torch.from_numpy(g.numpy() * 2 * x.detach().numpy())),
            inputs((2, 3)),
        ),
        ("a clone", square(lambda g, x: g.clone().mul_(2 * x)), inputs((2, 3))),
        ("saves its output", SavesItsOutput, inputs((2, 3))),
        ("hands it on", HANDS_IT_ON, inputs((2, 3), (2, 3))),
        ("with care", TwoOutputsWithCare, inputs((2, 3))),
        ("in place and says so", added, inputs((2, 3))),
        ("empty", VIEWS_FLAT, inputs((0, 3))),
        ("complex, right", lambda z: apply(HANDS_IT_ON, z, z * 1j), _complex),
    ),
)

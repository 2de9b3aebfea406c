"""Mistakes that depend on grad_output: its strides, and writing to it."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tests.checks.broken.corpus import cases, inputs
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


class ByPointer(Square):
    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        return numbers_at(gradients[0]) * 2 * ctx.saved_tensors[0]


class ByPointerOfDense(Square):
    """Right."""

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        return numbers_at(gradients[0].contiguous()) * 2 * ctx.saved_tensors[0]


class ByStorage(Square):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        flat = gradients[0].new_empty(0).set_(gradients[0].untyped_storage())
        return flat[: x.numel()].view(x.shape) * 2 * x


class AsStrided(Square):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0].as_strided(x.shape, x.stride()) * 2 * x


class ViewsFlat(Square):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return (gradients[0].view(-1) * 2 * x.reshape(-1)).view(x.shape)


class ReshapesFlat(Square):
    """Right."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return (gradients[0].reshape(-1) * 2 * x.reshape(-1)).view(x.shape)


class InsistsOnDense(Square):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        assert gradients[0].is_contiguous()
        return gradients[0] * 2 * ctx.saved_tensors[0]


class ByNumPy(Square):
    """Right."""

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        return torch.from_numpy(gradients[0].numpy() * 2 * ctx.saved_tensors[0].numpy())


class MultipliesInPlace(Square):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].mul_(2 * ctx.saved_tensors[0])


class ChangesAClone(Square):
    """Right."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].clone().mul_(2 * ctx.saved_tensors[0])


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


class MaskedLater(Function):
    """Scales grad_output and then uses it for the other input, correctly."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_y = gradients[0] * x
        gradients[0].mul_(y)
        return gradients[0].clone(), grad_y


class ConvolvesByHand(Function):
    """One number per channel of an image; backward assumes that the image is dense."""

    @staticmethod
    def forward(ctx: Any, image: Tensor, scale: Tensor) -> Tensor:
        ctx.save_for_backward(image, scale)
        return image * scale[None, :, None, None]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        image, scale = ctx.saved_tensors
        grad_output = numbers_at(gradients[0])
        return grad_output * scale[None, :, None, None], (grad_output * image).sum((0, 2, 3))


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


class HandsItOn(Function):
    """Right: returns the incoming gradient itself, for both of its inputs."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return x + y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], gradients[0]


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
        ("pointer", ByPointer, inputs((3, 4))),
        ("pointer to an image", ConvolvesByHand, inputs((2, 3, 2, 2), (3,))),
        ("storage zero-dimensional", ByStorage, inputs(())),
        ("as strided", AsStrided, inputs((2, 3))),
        ("view", ViewsFlat, inputs((2, 3))),
        ("insists on dense", InsistsOnDense, inputs((2, 3))),
        ("inside others", read_inside, inputs((3, 2))),
    ),
    *cases(
        "mutates_grad_output",
        ("mul_", MultipliesInPlace, inputs((2, 3))),
        ("mask", Rectified, inputs((3, 4))),
        ("two inputs", MaskedLater, inputs((2, 3), (2, 3))),
    ),
    *cases("undefined_gradient", ("two outputs", TwoOutputs, inputs((2, 3)))),
    *cases(
        "none",
        ("pointer to dense", ByPointerOfDense, inputs((3, 4))),
        ("reshape", ReshapesFlat, inputs((2, 3))),
        ("numpy, right", ByNumPy, inputs((2, 3))),
        ("a clone", ChangesAClone, inputs((2, 3))),
        ("saves its output", SavesItsOutput, inputs((2, 3))),
        ("hands it on", HandsItOn, inputs((2, 3), (2, 3))),
        ("with care", TwoOutputsWithCare, inputs((2, 3))),
        ("in place and says so", added, inputs((2, 3))),
        ("empty", ViewsFlat, inputs((0, 3))),
        ("complex, right", lambda z: apply(HandsItOn, z, z * 1j), _complex),
    ),
)

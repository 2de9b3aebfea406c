"""Tensors modified in place although they are still needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from tests.checks.broken.corpus import cases, inputs
from tests.checks.sample_functions import randn


class ScalesItsInput(Function):
    """Saves the input and scales it in place without marking it dirty."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        y = x.mul_(2)
        return y.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * 2 * x.cos()


class NormalizesWeights(Function):
    """The second input is the one that is changed."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        w /= w.norm()
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] @ w.t(), x.t() @ gradients[0]


class OverwritesWhatItKept(Function):
    """Saves memory in backward, and what a second backward would need."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mask = mask = (x > 0).to(x.dtype)
        return x * mask

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        gradient: Tensor = ctx.mask.mul_(gradients[0])
        return gradient


class OverwritesItsOutput(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.tanh()
        ctx.y = y.clone()
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        ctx.y.pow_(2).neg_().add_(1)
        return gradients[0] * ctx.y


class ScalesWhatItSaved(Function):
    """The saved tensor is the input itself; torch finds out at the next backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x.mul_(2) * gradients[0]


class Exponential(Function):
    """Correct as long as its output is not modified."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (y,) = ctx.saved_tensors
        return gradients[0] * y


exponential: Callable[[Tensor], Tensor] = Exponential.apply


def touched(x: Tensor) -> Tensor:
    y = exponential(x)
    y += 1
    return y


class ScalesAfterSaving(Function):
    """A small layer norm: the values saved for backward are scaled in place afterwards."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        normal = x / x.norm()
        ctx.save_for_backward(x, normal, weight)
        normal *= weight
        return normal + 1

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, normal, weight = ctx.saved_tensors
        scaled = gradients[0] * weight
        along = (scaled * normal).sum()
        return (scaled - normal * along) / x.norm(), gradients[0] * normal


class ActsOnItsAttribute(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x.exp()
        ctx.y = y
        return y.add_(1).log_()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.y / (1 + ctx.y)


class UsesAMaskUp(Function):
    """Every call subtracts from an input without a gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor) -> Tensor:
        ctx.mask = mask.clone()
        y = x * mask
        mask *= 0.5
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.mask, None


class MarkedDirty(Function):
    """Right."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


doubled: Callable[[Tensor], Tensor] = MarkedDirty.apply


class CountsRunningMean(Function):
    """Right: running statistics do not change what it returns."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, running: Tensor) -> Tensor:
        mean = x.mean(0)
        running.mul_(0.9).add_(mean, alpha=0.1)
        return x - mean

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] - gradients[0].mean(0), None


class PutsBack(Function):
    """Right: halves and doubles, which is exact."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x.mul_(0.5)
        y = x * 6
        x.mul_(2)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 3


CASES = (
    *cases(
        "inplace_damage",
        ("scales its input", ScalesItsInput, inputs((2, 3))),
        ("normalizes weights", NormalizesWeights, inputs((2, 3), (3, 2))),
        ("overwrites what it kept", OverwritesWhatItKept, inputs((3, 2))),
        ("overwrites its output", OverwritesItsOutput, inputs((4,))),
        ("scales what it saved", ScalesWhatItSaved, inputs((3,))),
        ("touched", touched, inputs((3,))),
        ("scales after saving", ScalesAfterSaving, inputs((4,), (4,))),
        ("acts on its attribute", ActsOnItsAttribute, inputs((2, 3))),
        ("uses a mask up", UsesAMaskUp, lambda: (randn(3), torch.ones(3, dtype=torch.float64))),
    ),
    *cases(
        "none",
        ("marked dirty", lambda x: doubled(x.clone()), inputs((2, 2))),
        (
            "running mean",
            CountsRunningMean,
            lambda: (randn(3, 2), torch.zeros(2, dtype=torch.float64)),
        ),
        ("put back", PutsBack, inputs((3,))),
    ),
)

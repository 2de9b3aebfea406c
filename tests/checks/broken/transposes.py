"""A transpose too few, or one too many."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes.linear_wrong import LinearFunction
from tests.checks.broken.corpus import Broken
from tests.checks.samples import randn


class ForgotTranspose(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        (g,) = gradients
        return g @ w, x.t() @ g


class CumulativeSum(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.cumsum(-1)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].cumsum(-1)


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


def _of_the_scene() -> tuple[Any, ...]:
    x = torch.arange(4, dtype=torch.float64).view(2, 2).requires_grad_()
    return x, torch.arange(6, dtype=torch.float64).view(2, 3).requires_grad_(), None


CASES = (
    Broken(name="scene", function=LinearFunction, inputs=_of_the_scene, code="transposed"),
    Broken(
        name="square weight",
        function=ForgotTranspose,
        inputs=lambda: (randn(2, 3), randn(3, 3, seed=1)),
        code="transposed",
    ),
    Broken(
        name="running sum",
        function=CumulativeSum,
        inputs=lambda: (randn(2, 4),),
        code="transposed",
    ),
    Broken(
        name="right",
        function=Product,
        inputs=lambda: (randn(2, 3), randn(3, 3, seed=1)),
        code="none",
    ),
)

"""A missing or an extra transpose."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes.linear_wrong import LinearFunction
from tests.checks.broken.corpus import Broken
from tests.checks.sample_functions import randn


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


class ViewForTranspose(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.shape = x.shape
        return x.t().contiguous() * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].reshape(ctx.shape) * 2


class NotTransposedBack(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.t() * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


class SamePermutation(Function):
    """With three dimensions, the permutation is not its own inverse."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.permute(2, 0, 1) * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].permute(2, 0, 1) * 2


class Heads(Function):
    """Splits features into two heads and puts these beside the batch."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        length, width = x.shape
        return x.view(length, 2, width // 2).transpose(0, 1).contiguous()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        heads, length, width = gradients[0].shape
        return gradients[0].reshape(length, heads * width)


class Batched(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return torch.bmm(x, w)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return torch.bmm(gradients[0], w), torch.bmm(x.transpose(1, 2), gradients[0])


class IllSized(Function):
    """Raises wherever the sizes differ."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        return gradients[0] @ w.t(), x @ gradients[0]


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


class LayerWithoutTranspose(Function):
    """After an activation, whose slopes hide the swap."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        y = torch.sigmoid(x @ w)
        ctx.save_for_backward(x, w, y)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w, y = ctx.saved_tensors
        inner = gradients[0] * y * (1 - y)
        return inner @ w, x.t() @ inner


CASES = (
    Broken(
        "behind an activation",
        LayerWithoutTranspose,
        lambda: (randn(2, 4), randn(4, 4, seed=1)),
        "transposed",
    ),
    Broken("scene", LinearFunction, _of_the_scene, "transposed"),
    Broken(
        "square weight", ForgotTranspose, lambda: (randn(2, 3), randn(3, 3, seed=1)), "transposed"
    ),
    Broken("running sum", CumulativeSum, lambda: (randn(2, 4),), "transposed"),
    Broken("view for a transpose", ViewForTranspose, lambda: (randn(2, 3),), "transposed"),
    Broken("refused by the engine", NotTransposedBack, lambda: (randn(2, 3),), "transposed"),
    Broken("not transposed back", NotTransposedBack, lambda: (randn(3, 3),), "transposed"),
    Broken("same permutation", SamePermutation, lambda: (randn(2, 2, 2),), "transposed"),
    Broken("heads", Heads, lambda: (randn(3, 4),), "transposed"),
    Broken("batched", Batched, lambda: (randn(2, 3, 4), randn(2, 4, 4, seed=1)), "transposed"),
    Broken("ill sized", IllSized, lambda: (randn(4, 3), randn(3, 2, seed=1)), "transposed"),
    Broken("right", Product, lambda: (randn(2, 3), randn(3, 3, seed=1)), "none"),
)

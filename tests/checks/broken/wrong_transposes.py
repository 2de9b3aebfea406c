"""A missing or an extra transpose."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes.linear_wrong import LinearFunction
from tests.checks.broken.corpus import cases, inputs, made


class ViewForTranspose(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.shape = x.shape
        return x.t().contiguous() * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].reshape(ctx.shape) * 2


NOT_TRANSPOSED_BACK = made(lambda x: x.t() * 2, lambda g, x: g[0] * 2)


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
    *cases(
        "transposed",
        ("behind an activation", LayerWithoutTranspose, inputs((2, 4), (4, 4))),
        ("scene", LinearFunction, _of_the_scene),
        (
            "square weight",
            made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w, x.t() @ g[0])),
            inputs((2, 3), (3, 3)),
        ),
        ("running sum", made(lambda x: x.cumsum(-1), lambda g, x: g[0].cumsum(-1)), inputs((2, 4))),
        ("view for a transpose", ViewForTranspose, inputs((2, 3))),
        ("refused by the engine", NOT_TRANSPOSED_BACK, inputs((2, 3))),
        ("not transposed back", NOT_TRANSPOSED_BACK, inputs((3, 3))),
        # With three dimensions, the permutation is not its own inverse.
        (
            "same permutation",
            made(lambda x: x.permute(2, 0, 1) * 2, lambda g, x: g[0].permute(2, 0, 1) * 2),
            inputs((2, 2, 2)),
        ),
        ("heads", Heads, inputs((3, 4))),
        (
            "batched",
            made(
                lambda x, w: torch.bmm(x, w),
                lambda g, x, w: (torch.bmm(g[0], w), torch.bmm(x.transpose(1, 2), g[0])),
            ),
            inputs((2, 3, 4), (2, 4, 4)),
        ),
        # Raises wherever the sizes differ.
        (
            "ill sized",
            made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w.t(), x @ g[0])),
            inputs((4, 3), (3, 2)),
        ),
    ),
    *cases(
        "none",
        (
            "right",
            made(lambda x, w: x @ w, lambda g, x, w: (g[0] @ w.t(), x.t() @ g[0])),
            inputs((2, 3), (3, 3)),
        ),
    ),
)

"""Custom Functions that break rules on changes in place."""

from __future__ import annotations

import torch
from torch.autograd import Function


class DoublesGradient(Function):  # GV301 error
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        g *= 2
        return g


class FillsGradient(Function):  # GV301 error
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=1)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        h = g.view(-1)
        h[x.flatten() < 1] = 0
        return g


class ChangesInput(Function):  # GV302 error
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class ChangesRow(Function):  # GV302 error
    @staticmethod
    def forward(ctx, x):
        x[0] = 0
        return x * 1

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[0] = 0
        return g


class KeepsDirty(Function):  # GV303 error run
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class UnmarkedOrder(Function):  # GV304 info run
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.save_for_backward(order)
        return values, order

    @staticmethod
    def backward(ctx, g, _):
        (order,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(0, order, g)


class ReturnsView(Function):  # GV305 info
    @staticmethod
    def forward(ctx, x):
        return x.t()

    @staticmethod
    def backward(ctx, g):
        return g.t()


class ReturnsInputSometimes(Function):  # GV305 info
    @staticmethod
    def forward(ctx, x, on):
        return x * 2 if on else x

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


class ChangedByCaller(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return -g


def changes_result(x):  # GV305 error run
    return ChangedByCaller.apply(x).mul_(2)


class ChangesSaved(Function):  # GV306 warning
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        x.mul_(2)
        return g * x


class DirtyLeaf(Function):  # GV307 error run
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def ones(*shape):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.5


def leaf(*shape):
    return ones(*shape).requires_grad_()


def with_other_user(x):
    return DoublesGradient.apply(x) * 3


EXAMPLES = {
    "with_other_user": (leaf(3),),
    "FillsGradient": (leaf(3),),
    "ChangesInput": (leaf(3) * 1,),
    "ChangesRow": (leaf(3) * 1,),
    "KeepsDirty": (leaf(3) * 1,),
    "UnmarkedOrder": (leaf(3),),
    "ReturnsView": (leaf(2, 3),),
    "ReturnsInputSometimes": (leaf(3), False),
    "changes_result": (leaf(3),),
    "ChangesSaved": (leaf(3),),
    "DirtyLeaf": (leaf(3),),
}

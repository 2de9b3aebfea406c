"""Custom Functions that break rules on arguments, methods and transforms."""

from __future__ import annotations

import torch
from torch import nn
from torch.autograd import Function


class InList(Function):  # GV401 warning run
    @staticmethod
    def forward(ctx, x, others):
        return x + sum(others)

    @staticmethod
    def backward(ctx, g):
        return g.clone(), None


class NotStatic(Function):  # GV402 warning
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class WithoutBackward(Function):  # GV403 error run
    @staticmethod
    def forward(ctx, x):
        return 2 * x


class WithBoth(Function):  # GV404 error
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g

    @staticmethod
    def vjp(ctx, g):
        return 2 * g


class Captures(Function):  # GV405 warning run
    @staticmethod
    def forward(ctx, x):
        return x * WEIGHT

    @staticmethod
    def backward(ctx, g):
        return g * WEIGHT.detach()


class ReturnsList(Function):  # GV406 error
    @staticmethod
    def forward(ctx, x):
        return [x + 1, x * 2]

    @staticmethod
    def backward(ctx, g, h):
        return g + 2 * h


def first_of_list(x):
    return ReturnsList.apply(x)[0]


class ReturnsDict(Function):  # GV406 error
    @staticmethod
    def forward(ctx, x):
        return {"sum": x + 1}

    @staticmethod
    def backward(ctx, g):
        return g.clone()


def sum_of_dict(x):
    return ReturnsDict.apply(x)["sum"]


class HalfDecorated(Function):  # GV407 error
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        return 2 * g


class UnderAutocast(Function):  # GV408 error
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return g @ weight.t(), x.t() @ g


def under_autocast(x, weight):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return UnderAutocast.apply(x, weight).float()


class CastsUnderAutocast(Function):  # GV408 warning
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return g.float() @ weight.t(), x.t() @ g.float()


def cast_under_autocast(x, weight):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return CastsUnderAutocast.apply(x, weight).float()


class OnlyCustomForward(Function):  # GV409 warning
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class Direct(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def calls_forward(x):  # GV410 error
    return Direct.forward(None, x)


def calls_instance(x):  # GV410 error
    return Direct()(x)


class WithoutContext(Function):  # GV411 error
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


def calls_class(x):  # GV410 error
    return Direct(x)


def ones(*shape):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.5


def leaf(*shape):
    return ones(*shape).requires_grad_()


WEIGHT = nn.Parameter(ones(3))
EXAMPLES = {
    "InList": (leaf(3), [leaf(3), leaf(3)]),
    "NotStatic": (leaf(3),),
    "WithoutBackward": (leaf(3),),
    "WithBoth": (leaf(3),),
    "Captures": (leaf(3),),
    "first_of_list": (leaf(3),),
    "sum_of_dict": (leaf(3),),
    "HalfDecorated": (leaf(3),),
    "under_autocast": (
        leaf(2, 3).detach().float().requires_grad_(),
        leaf(3, 2).detach().float().requires_grad_(),
    ),
    "cast_under_autocast": (
        leaf(2, 3).detach().float().requires_grad_(),
        leaf(3, 2).detach().float().requires_grad_(),
    ),
    "OnlyCustomForward": (leaf(3),),
    "Direct": (leaf(3),),
    "calls_forward": (leaf(3),),
    "calls_instance": (leaf(3),),
    "WithoutContext": (leaf(3), 2.0),
    "calls_class": (leaf(3),),
}

"""Exceptions in forward, in backward, and in code that handles them."""

import torch
from torch.autograd import Function


class InForward(Function):
    @staticmethod
    def forward(ctx, x):
        raise ValueError("no forward today\nsecond line")


class InBackward(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise KeyError("no backward today")


class WrongCount(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, grad, grad


class WrongShape(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(7)


class Unspeakable(Exception):  # noqa: N818
    def __str__(self):
        raise RuntimeError("this exception cannot be shown")


class RaisesUnspeakable(Function):
    @staticmethod
    def forward(ctx, x):
        raise Unspeakable


class Unreadable(Exception):  # noqa: N818
    def __getattribute__(self, name):
        raise MemoryError(name)


class RaisesUnreadable(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise Unreadable("no attributes")


class Recursion(Function):
    @staticmethod
    def forward(ctx, x):
        return Recursion.forward(ctx, x)


class Dying:
    def __del__(self):
        raise RuntimeError("not even in peace")


class RaisesInDel(Function):
    @staticmethod
    def forward(ctx, x):
        Dying()
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        Dying()
        return grad * 2


class NotDifferentiable(Function):
    @staticmethod
    def forward(ctx, x):
        return x.argmax()


X = torch.ones(2, requires_grad=True)
EXAMPLES = dict.fromkeys(
    (
        InForward,
        InBackward,
        WrongCount,
        WrongShape,
        RaisesUnspeakable,
        RaisesUnreadable,
        Recursion,
        RaisesInDel,
        NotDifferentiable,
    ),
    (X,),
)

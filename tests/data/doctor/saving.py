"""Custom Functions that break rules on what is saved."""

from __future__ import annotations

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class InputOnContext(Function):  # GV101 warning
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.x * g


class ResultOnContext(Function):  # GV101 warning
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.result = y
        return y

    @staticmethod
    def backward(ctx, g):
        return g * (1 - ctx.result * ctx.result)


class TupleOnContext(Function):  # GV101 warning
    @staticmethod
    def forward(ctx, x, y):
        ctx.inputs = (x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.inputs
        return g * y, g * x


class MaskOnContext(Function):  # GV101 warning
    @staticmethod
    def forward(ctx, x):
        ctx.mask = x > 1
        return x * ctx.mask

    @staticmethod
    def backward(ctx, g):
        return g * ctx.mask


class OnContextInSetup(Function):  # GV101 warning
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.y = output

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y


class ParametersOnContext(Function):  # GV101 info run
    @staticmethod
    def forward(ctx, run, x, *weights):
        ctx.run, ctx.weights = run, weights
        ctx.save_for_backward(x)
        with torch.no_grad():
            return run(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            y = ctx.run(inner)
        return None, *torch.autograd.grad(y, (inner, *ctx.weights), g)


class SavesSquare(Function):  # GV102 warning
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    def backward(ctx, g):
        (square,) = ctx.saved_tensors
        return 3 * square * g


class SavesExpression(Function):  # GV102 warning
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.cos())
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope


class SavesView(Function):  # GV102 warning
    @staticmethod
    def forward(ctx, x):
        turned = x.t()
        ctx.save_for_backward(turned)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (turned,) = ctx.saved_tensors
        return 2 * turned.t() * g


class SavesTwice(Function):  # GV104 warning
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        ctx.save_for_backward(y)
        return x + y * y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g.clone(), 2 * y * g


class SavesForNothing(Function):  # GV105 info
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x + 1

    @staticmethod
    def backward(ctx, g):
        return g.clone()


class SavesNumber(Function):  # GV106 error run
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, g):
        x, factor = ctx.saved_tensors
        return g * factor + 0 * x, None


class ReadsTooEarly(Function):  # GV107 error
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        (same,) = ctx.saved_tensors
        return same * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g + 0 * x


class AssignsSaved(Function):  # GV107 error
    @staticmethod
    def forward(ctx, x):
        ctx.saved_tensors = (x,)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g + 0 * x


class SavesOne(Function):  # GV108 error
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x


class ForgetsToSave(Function):  # GV108 error
    @staticmethod
    def forward(ctx, x):
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


class SavesTheLastOnly(Function):  # GV104 warning, GV108 error
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        ctx.save_for_backward(y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x


class ForgetsFactor(Function):  # GV109 error
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


class ReadsClassAttribute(Function):  # GV109 error
    slope = 0.1

    @staticmethod
    def forward(ctx, x):
        return x * ReadsClassAttribute.slope

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope


class OnClass(Function):  # GV110 warning
    @staticmethod
    def forward(ctx, x):
        OnClass.kept = x
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * OnClass.kept * g


class InGlobal(Function):  # GV110 warning
    @staticmethod
    def forward(ctx, x):
        global KEPT
        KEPT = x.cos()
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        return KEPT * g


class InLambda(Function):  # GV101 warning
    @staticmethod
    def forward(ctx, x):
        ctx.derivative = lambda g: 2 * x * g
        return x * x

    @staticmethod
    def backward(ctx, g):
        return ctx.derivative(g)


def ones(*shape):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.5


def leaf(*shape):
    return ones(*shape).requires_grad_()


def parameters_on_context(x):
    return ParametersOnContext.apply(MODULE, x, *MODULE.parameters())


MODULE = nn.Linear(3, 2, dtype=torch.float64)
EXAMPLES = {
    "InputOnContext": (leaf(3),),
    "ResultOnContext": (leaf(3),),
    "TupleOnContext": (leaf(3), leaf(3)),
    "MaskOnContext": (leaf(3),),
    "OnContextInSetup": (leaf(3),),
    "parameters_on_context": (leaf(4, 3),),
    "SavesSquare": (leaf(3),),
    "SavesExpression": (leaf(3),),
    "SavesView": (leaf(2, 2),),
    "SavesTwice": (leaf(3), leaf(3)),
    "SavesForNothing": (leaf(3),),
    "SavesNumber": (leaf(3), 2.0),
    "ReadsTooEarly": (leaf(3),),
    "AssignsSaved": (leaf(3),),
    "SavesOne": (leaf(3), leaf(3)),
    "ForgetsToSave": (leaf(3),),
    "SavesTheLastOnly": (leaf(3), leaf(3)),
    "ForgetsFactor": (leaf(3), 2.0),
    "ReadsClassAttribute": (leaf(3),),
    "OnClass": (leaf(3),),
    "InGlobal": (leaf(3),),
    "InLambda": (leaf(3),),
}

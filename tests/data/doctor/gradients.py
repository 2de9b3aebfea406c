"""Custom Functions that break rules on gradients."""

from __future__ import annotations

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class WithoutGradient(Function):  # GV201 warning run
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y, None


class AsksInVain(Function):  # GV201 warning
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        grad_x = g * y
        if ctx.needs_input_grad[1]:
            grad_x = grad_x + 0 * x
        return grad_x, None


class ForgetsToReturn(Function):  # GV201 warning
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        grad_weight = x.t() @ g
        return g @ weight.t(), None


class TooFew(Function):  # GV202 error
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor


class TooMany(Function):  # GV202 error
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, g * 2


class ListOfGradients(Function):  # GV202 error run
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return [g.clone(), g.clone()]


class WrongShape(Function):  # GV203 error run
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, g):
        return g.expand(7)


class ReturnsNumber(Function):  # GV203 error run
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, g):
        return 1.0


class ForNumber(Function):  # GV203 error run
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * 2, g.sum()


class TooLarge(Function):  # GV204 info run
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g.clone(), g.clone()


class OuterProduct(Function):  # GV204 warning run
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.square()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g[:, None]


class OtherDtype(Function):  # GV205 warning run
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g.float()


class Wasteful(Function):  # GV206 info run
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x


class SurplusNone(Function):  # GV207 info
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


class IgnoresGradient(Function):  # GV208 warning
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x


class UnusedOutput(Function):  # GV209 info run
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, g, h):
        return g + 2 * h


class ComputesWithNone(Function):  # GV210 error
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, g, h):
        return g + 2 * h


class TooFewParameters(Function):  # GV211 error
    @staticmethod
    def forward(ctx, x):
        return x + 1, x * 2

    @staticmethod
    def backward(ctx, g):
        return 3 * g


class TooManyParameters(Function):  # GV211 error
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g, h):
        return 2 * g


class AsksBeyondInputs(Function):  # GV212 error
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g.clone(), g.clone() if ctx.needs_input_grad[2] else None


class Implicit(Function):  # GV213 warning
    @staticmethod
    def forward(ctx, module, x):
        ctx.module = module
        ctx.save_for_backward(x)
        with torch.no_grad():
            return module(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            y = ctx.module(x)
        y.backward(g)
        return None, x.grad


class ImplicitOnSavedLeaf(Function):  # GV213 warning
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        inner = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            torch.autograd.backward(inner.exp(), g)
        return inner.grad


class Lookup(Function):  # GV214 warning run
    @staticmethod
    def forward(ctx, weight, index):
        ctx.save_for_backward(index)
        ctx.shape = weight.shape
        return weight[index]

    @staticmethod
    def backward(ctx, g):
        (index,) = ctx.saved_tensors
        return torch.sparse_coo_tensor(index[None], g, ctx.shape, check_invariants=True), None


def ones(*shape):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.5


def leaf(*shape):
    return ones(*shape).requires_grad_()


class MarksAll(Function):  # GV215 warning
    @staticmethod
    def forward(ctx, x):
        rounded = x.round()
        ctx.mark_non_differentiable(rounded)
        return rounded

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class MarksAllInSetup(Function):  # GV215 warning
    @staticmethod
    def forward(x):
        return x.floor(), x.ceil()

    @staticmethod
    def setup_context(ctx, inputs, output):
        below, above = output
        ctx.mark_non_differentiable(below, above)

    @staticmethod
    def backward(ctx, grad_below, grad_above):
        return grad_below + grad_above


def marks_all(x):
    below, above = MarksAllInSetup.apply(x)
    return MarksAll.apply(x) * x + below * above


EXAMPLES = {
    "WithoutGradient": (leaf(3), leaf(3)),
    "AsksInVain": (leaf(3), leaf(3)),
    "ForgetsToReturn": (leaf(2, 3), leaf(3, 2)),
    "TooFew": (leaf(3), 2.0),
    "TooMany": (leaf(3),),
    "ListOfGradients": (leaf(3), leaf(3)),
    "WrongShape": (leaf(3),),
    "ReturnsNumber": (leaf(3),),
    "ForNumber": (leaf(3), 2.0),
    "TooLarge": (leaf(3), leaf(1)),
    "OuterProduct": (leaf(3),),
    "OtherDtype": (leaf(3),),
    "Wasteful": (leaf(3), ones(3)),
    "SurplusNone": (leaf(3),),
    "IgnoresGradient": (leaf(3),),
    "UnusedOutput": (leaf(3),),
    "ComputesWithNone": (leaf(3),),
    "TooFewParameters": (leaf(3),),
    "TooManyParameters": (leaf(3),),
    "AsksBeyondInputs": (leaf(3), leaf(3)),
    "Implicit": (torch.sin, leaf(3)),
    "ImplicitOnSavedLeaf": (leaf(3),),
    "marks_all": (leaf(3),),
    "Lookup": (leaf(4, 2), torch.tensor([1, 3, 1])),
}

"""Custom Functions and modules that break rules on second derivatives, transforms and modules."""

from __future__ import annotations

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Detaches(Function):  # GV501 warning
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y.detach()


class WithoutGrad(Function):  # GV501 warning
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            slope = 2 * x
            grad = g * slope
        return grad


class ThroughNumbers(Function):  # GV501 warning
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sum() ** 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        slope = 2 * float(x.sum())
        return (g * slope).expand_as(x)


class OnceOnForward(Function):  # GV502 warning
    @staticmethod
    @once_differentiable
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class CutSquare(Function):  # GV501 warning, GV503 warning run
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x.detach() * g


def twice(x):
    (first,) = torch.autograd.grad(CutSquare.apply(x).sum(), x, create_graph=True)
    return first * x


class ComputesInSetup(Function):  # GV601 info
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(2 * x)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope


class AmbiguousVmap(Function):  # GV602 error
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return 2 * g

    @staticmethod
    def vmap(info, in_dims, x):
        return 2 * x, in_dims[0]


def ambiguous(x):
    return torch.vmap(AmbiguousVmap.apply)(x)


class OldStyle(Function):  # GV603 error run
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def transformed(x):
    return torch.func.grad(lambda y: OldStyle.apply(y).sum())(x)


class ListOfParameters(nn.Module):  # GV701 warning run
    def __init__(self):
        super().__init__()
        self.factors = [nn.Parameter(ones(3))]

    def forward(self, x):
        return x * self.factors[0]


class TakesContext(Function):  # GV604 error
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return 2 * g


class WithoutVmap(Function):  # GV605 error run
    @staticmethod
    def forward(x):
        return 2 * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def mapped(x):
    return torch.vmap(WithoutVmap.apply)(x)


def hook_of_wrong_size(x):  # GV801 error run
    y = x * 2
    y.register_hook(lambda g: g[:1])
    return torch.autograd.grad(y.sum(), x)


def hook_returns_number(x):  # GV801 error run
    y = x * 2
    y.register_hook(lambda g: 3)
    return torch.autograd.grad(y.sum(), x)


def ones(*shape):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.5


def leaf(*shape):
    return ones(*shape).requires_grad_()


class TakesInputs(Function):  # GV606 error
    @staticmethod
    def forward(x, factor):
        return factor * x

    @staticmethod
    def setup_context(ctx, x, factor, output):
        ctx.factor = factor

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.factor * grad_output, None


class TakesNoOutput(Function):  # GV606 error
    @staticmethod
    def forward(x, factor):
        return factor * x

    @staticmethod
    def setup_context(ctx, x, factor):
        ctx.save_for_backward(factor)

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.saved_tensors[0] * grad_output, None


class FarthestPoint(Function):  # correct
    @staticmethod
    def forward(ctx, points):
        index = points.norm(dim=1).argmax()
        ctx.mark_non_differentiable(index)
        return index

    @staticmethod
    def backward(ctx, grad_index):
        return None


class WithOrder(Function):  # correct
    @staticmethod
    def forward(inputs, out=None):
        return 2 * inputs, inputs.argsort()

    @staticmethod
    def setup_context(ctx, inputs, out):
        _value, order = out
        ctx.mark_non_differentiable(order)

    @staticmethod
    def backward(ctx, grad_value, grad_order):
        return 2 * grad_value, None


def farthest(points):
    values, order = WithOrder.apply(points, None)
    return values[order[0, 0]] * points[FarthestPoint.apply(points)]


def module(x):
    return ListOfParameters()(x)


EXAMPLES = {
    "Detaches": (leaf(3),),
    "WithoutGrad": (leaf(3),),
    "ThroughNumbers": (leaf(3),),
    "OnceOnForward": (leaf(3),),
    "twice": (leaf(3),),
    "ComputesInSetup": (leaf(3),),
    "ambiguous": (leaf(3),),
    "transformed": (leaf(3),),
    "module": (leaf(3),),
    "TakesContext": (leaf(3),),
    "mapped": (leaf(3),),
    "TakesInputs": (leaf(3), 2.0),
    "TakesNoOutput": (leaf(3), 2.0),
    "farthest": (leaf(3, 3),),
    "hook_of_wrong_size": (leaf(3),),
    "hook_returns_number": (leaf(3),),
}

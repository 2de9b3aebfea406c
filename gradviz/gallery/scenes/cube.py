"""The cube, whose derivative is an output too: so backward can be differentiated again."""

import torch
from torch.autograd import Function


class MyCube(Function):
    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        _, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x


def my_cube(x):
    """Only the cube; the second output is there for backward."""
    return MyCube.apply(x)[0]


def three_derivatives(x):
    y = my_cube(x)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    (third,) = torch.autograd.grad(second, x)
    print(f"first {first.item()}, second {second.item()}, third {third.item()}")


# Of a loss that has x twice: by the cube, and beside it.
def two_derivatives(x):
    loss = my_cube(x) * x
    (first,) = torch.autograd.grad(loss, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    print(f"first {first.item()}, second {second.item()}")

"""The cube that saves an intermediate and says so: it can be differentiated once."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class MyCube(Function):
    @staticmethod
    def forward(ctx, x):
        dx = 3 * x**2
        ctx.save_for_backward(dx)
        return x**3

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (dx,) = ctx.saved_tensors
        return grad_output * dx


def refused(x):
    """The first derivative is right, and the second one raises instead of being wrong."""
    loss = MyCube.apply(x) * x
    (first,) = torch.autograd.grad(loss, x, create_graph=True)
    print(f"first {first.item()}")
    first.backward()

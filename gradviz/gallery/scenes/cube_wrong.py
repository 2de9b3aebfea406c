"""The cube that saves its derivative although that is neither an input nor an output.

Autograd takes the saved number for a constant. The first derivative is right; of the second a part
is missing, and torch says nothing.
"""

import torch
from torch.autograd import Function


class MyCube(Function):
    @staticmethod
    def forward(ctx, x):
        dx = 3 * x**2
        ctx.save_for_backward(dx)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (dx,) = ctx.saved_tensors
        return grad_output * dx


def silently_wrong(x):
    """The second derivative of x**3 * x is 12 * x**2: 48 at 2."""
    loss = MyCube.apply(x) * x
    (first,) = torch.autograd.grad(loss, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    print(f"first {first.item()}, second {second.item()}")


def without_history(x):
    """Nothing of the cube's own gradient depends on x any more: torch refuses."""
    cube = MyCube.apply(x)
    (first,) = torch.autograd.grad(cube, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    print(f"first {first.item()}, second {second.item()}")

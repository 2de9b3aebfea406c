"""A custom Function is differentiated twice; a hook scales a gradient."""

import torch
from torch.autograd import Function


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


x = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64, requires_grad=True)
y = Cube.apply(x)
(grad,) = torch.autograd.grad(y.sum(), x, create_graph=True)
grad.register_hook(lambda gradient: gradient * 2)
penalty = (grad**2).mean() + y.sum()
penalty.backward()

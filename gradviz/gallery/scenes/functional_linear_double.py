"""A linear layer whose backward may be differentiated again, and one place where it may not.

The gradient of ``bias`` is detached from ``grad_output``, so what depends on it is lost for a
second derivative, and nothing says so.
"""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class FunctionalLinear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        output = (weight[None] * x[:, None]).sum(-1)
        if bias is not None:
            output = output + bias
        return output

    @staticmethod
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grad_x = (grad_output[:, :, None] * weight[None]).sum(1)
        grad_weight = grad_output[:, :, None] * x[:, None]
        grad_bias = None if bias is None else grad_output.detach().clone()
        return grad_x, grad_weight, grad_bias


class FunctionalLinearOnce(FunctionalLinear):
    """The same with a backward that says that it can be differentiated only once."""

    backward = staticmethod(once_differentiable(FunctionalLinear.backward))


def differentiate_twice(x, weight, bias):
    """Penalises the gradients of a loss that is not linear in the output."""
    output = FunctionalLinear.apply(x, weight, bias)
    loss = (output * output).sum()
    grad_x, grad_weight, grad_bias = torch.autograd.grad(loss, (x, weight, bias), create_graph=True)
    penalty = grad_x.pow(2).sum() + grad_weight.pow(2).sum() + grad_bias.pow(2).sum()
    penalty.backward()


def differentiate_once(x, weight, bias):
    """The same with a backward that may be differentiated once: torch refuses."""
    output = FunctionalLinearOnce.apply(x, weight, bias)
    loss = (output * output).sum()
    grad_x, grad_weight, grad_bias = torch.autograd.grad(loss, (x, weight, bias), create_graph=True)
    penalty = grad_x.pow(2).sum() + grad_weight.pow(2).sum() + grad_bias.pow(2).sum()
    penalty.backward()


def differentiate_sum(x, weight, bias):
    """Here the gradients have no history at all, because grad_output is a constant."""
    output = FunctionalLinearOnce.apply(x, weight, bias)
    grad_x, grad_weight, grad_bias = torch.autograd.grad(
        output.sum(), (x, weight, bias), create_graph=True
    )
    penalty = grad_x.pow(2).sum() + grad_weight.pow(2).sum() + grad_bias.pow(2).sum()
    penalty.backward()

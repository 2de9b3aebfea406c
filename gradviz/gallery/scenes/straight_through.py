"""Rounding with the gradient of the identity: wrong as calculus, and on purpose."""

from torch.autograd import Function


class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

"""A run of many small steps, to be killed at any moment."""

# ruff: noqa: T201 - user code prints

import torch
from torch.autograd import Function


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print("back")
        return grad * 2


def many_steps(x):
    for _ in range(100_000):
        y = x
        for _ in range(20):
            y = Double.apply(y) * 0.5
        y.sum().backward()
    return y


EXAMPLES = {many_steps: (torch.ones(3, requires_grad=True),)}

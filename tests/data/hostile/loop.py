"""An infinite loop in forward, in Python."""

# ruff: noqa: T201 - user code prints

import torch
from torch.autograd import Function


class Loop(Function):
    @staticmethod
    def forward(ctx, x):
        print("before the loop")
        y = x * 2
        while True:
            y = y + 1
        return y


def examples():
    return {Loop: (torch.ones(2, requires_grad=True),)}

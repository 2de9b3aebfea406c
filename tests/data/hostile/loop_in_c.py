"""An infinite loop in backward, in C code that holds the GIL."""

# ruff: noqa: T201 - user code prints

import re

import torch
from torch.autograd import Function


class LoopInC(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print("before the loop", flush=True)
        re.match("(a+)+b", "a" * 60)
        return grad * 2


EXAMPLES = {"LoopInC": (torch.ones(2, requires_grad=True),)}

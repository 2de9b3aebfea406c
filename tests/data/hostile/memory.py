"""Allocates more memory than there is: at once, and bit by bit."""

# ruff: noqa: T201 - user code prints

import torch
from torch.autograd import Function

KEPT = []


class AtOnce(Function):
    @staticmethod
    def forward(ctx, x):
        return x * torch.ones(1 << 42, dtype=torch.float64).sum()


class BitByBit(Function):
    @staticmethod
    def forward(ctx, x):
        print("here it goes")
        while True:
            KEPT.append(torch.ones(1 << 18, dtype=torch.float64))
        return x


X = torch.ones(2, requires_grad=True)
EXAMPLES = dict.fromkeys((AtOnce, BitByBit), (X,))

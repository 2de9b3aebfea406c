"""Allocates more memory than there is: at once, bit by bit, or seemingly, shared by forks."""

# ruff: noqa: T201 - user code prints

import os
import time

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


class SharedByForks(Function):
    """Eight idle forks that share 300 MB with the run."""

    @staticmethod
    def forward(ctx, x):
        KEPT.append(bytearray(b"x") * (300 << 20))
        forks = [os.fork() or _rest() for _ in range(8)]
        for fork in forks:
            os.waitpid(fork, 0)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def _rest():
    time.sleep(1.5)
    os._exit(0)


X = torch.ones(2, requires_grad=True)
EXAMPLES = dict.fromkeys((AtOnce, BitByBit, SharedByForks), (X,))

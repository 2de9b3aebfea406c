"""Prints endlessly: through Python's print and directly to the descriptor."""

# ruff: noqa: T201 - user code prints

import os
import subprocess
import sys

import torch
from torch.autograd import Function

GIGABYTE = 1 << 30
BLOCK = "spam and eggs, spam and eggs\n" * 4000


class Prints(Function):
    @staticmethod
    def forward(ctx, x):
        for _ in range(GIGABYTE // len(BLOCK)):
            print(BLOCK, end="")
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Writes(Function):
    """To the descriptors themselves, as C code does."""

    @staticmethod
    def forward(ctx, x):
        data = BLOCK.encode()
        for number in range(GIGABYTE // len(data)):
            os.write(1 + number % 2, data)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class ChildWrites(Function):
    """Through a process of its own, which gets the descriptors."""

    @staticmethod
    def forward(ctx, x):
        code = "import os\nfor _ in range(1000): os.write(1, b'spam' * 4096)"
        subprocess.run([sys.executable, "-c", code], check=True)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


X = torch.ones(2, requires_grad=True)
EXAMPLES = dict.fromkeys((Prints, Writes, ChildWrites), (X,))

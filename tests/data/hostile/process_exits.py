"""Functions that end the process in backward, each in another way."""

# ruff: noqa: T201 - user code prints

import ctypes
import os
import signal
import sys

import torch
from torch.autograd import Function


class Base(Function):
    @staticmethod
    def forward(ctx, x):
        print("forward is done")
        return x * 2


class Abort(Base):
    @staticmethod
    def backward(ctx, grad):
        os.abort()


class Segfault(Base):
    @staticmethod
    def backward(ctx, grad):
        ctypes.string_at(0)


class SysExit(Base):
    @staticmethod
    def backward(ctx, grad):
        sys.exit(3)


class HardExit(Base):
    @staticmethod
    def backward(ctx, grad):
        os._exit(7)


class HardExitZero(Base):
    @staticmethod
    def backward(ctx, grad):
        os._exit(0)


class KillItself(Base):
    @staticmethod
    def backward(ctx, grad):
        os.kill(os.getpid(), signal.SIGKILL)


class Interrupt(Base):
    @staticmethod
    def backward(ctx, grad):
        raise KeyboardInterrupt


X = torch.ones(2, requires_grad=True)
EXAMPLES = dict.fromkeys(
    (Abort, Segfault, SysExit, HardExit, HardExitZero, KillItself, Interrupt), (X,)
)

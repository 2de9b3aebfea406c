"""Changes or closes the files of its own trace while they are being written."""

import os
import sys

import torch
from torch.autograd import Function


def own_files(ending):
    """Descriptors and paths of this process's open files that end so."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            path = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if path.endswith(ending):
            found[int(name)] = path
    return found


def truncate(ending):
    for path in own_files(ending).values():
        os.truncate(path, 0)


class Base(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class TruncatesTheLog(Base):
    @staticmethod
    def backward(ctx, grad):
        truncate("-wal")
        return grad * 2


class DeletesTheLog(Base):
    @staticmethod
    def backward(ctx, grad):
        for path in own_files("-wal").values():
            os.unlink(path)
        return grad * 2


class TruncatesTheTrace(Base):
    @staticmethod
    def backward(ctx, grad):
        truncate((".gradviz", ".gradviz-part"))
        return grad * 2


class TruncatesTheIndex(Base):
    @staticmethod
    def backward(ctx, grad):
        truncate("-shm")
        return grad * 2


class ClosesTheLog(Base):
    @staticmethod
    def backward(ctx, grad):
        for descriptor in own_files("-wal"):
            os.close(descriptor)
        return grad * 2


class ClosesManyFiles(Base):
    @staticmethod
    def backward(ctx, grad):
        os.closerange(3, 256)
        return grad * 2


X = torch.ones(2, requires_grad=True)
EXAMPLES = {
    thing: (X,)
    for thing in list(globals().values())
    if isinstance(thing, type) and issubclass(thing, Base) and thing is not Base
}

if __name__ == "__main__":
    globals()[sys.argv[1]].apply(X).sum().backward()

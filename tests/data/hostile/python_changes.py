"""Changes Python itself, its limits and streams, or defines objects that raise in everything."""

# ruff: noqa: T201 - user code prints

import builtins
import faulthandler
import gc
import inspect
import json
import os
import resource
import signal
import sqlite3
import sys
import tempfile
import threading
import time

import torch
from torch.autograd import Function


class Base(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class PatchesEncoder(Base):
    @staticmethod
    def backward(ctx, grad):
        json.JSONEncoder.encode = json.JSONEncoder.iterencode = json.JSONEncoder.default = None
        json.encoder.encode_basestring_ascii = json.encoder.c_make_encoder = None
        sqlite3.connect = sqlite3.Connection = sqlite3.OperationalError = None
        return grad * 2


class PatchesBuiltins(Base):
    @staticmethod
    def backward(ctx, grad):
        builtins.isinstance = lambda *_: False
        builtins.len = lambda *_: -1
        builtins.open = builtins.repr = builtins.str = None
        return grad * 2


class PatchesTime(Base):
    @staticmethod
    def backward(ctx, grad):
        time.perf_counter_ns = time.monotonic = time.perf_counter = None
        os.getpid = os.write = threading.get_ident = None
        return grad * 2


class PatchesThreads(Base):
    @staticmethod
    def backward(ctx, grad):
        threading.Thread = threading.Lock = threading.RLock = threading.Event = None
        threading.current_thread = threading.local = None
        return grad * 2


class RemovesFolder(Base):
    @staticmethod
    def backward(ctx, grad):
        folder = tempfile.mkdtemp()
        os.chdir(folder)
        os.rmdir(folder)
        return grad * 2


class ClearsEnvironment(Base):
    @staticmethod
    def backward(ctx, grad):
        os.environ.clear()
        return grad * 2


class ClearsModules(Base):
    @staticmethod
    def backward(ctx, grad):
        for name in list(sys.modules):
            if name.startswith(("gradviz", "json", "sqlite3")):
                del sys.modules[name]
        sys.path.clear()
        sys.meta_path.clear()
        return grad * 2


class HidesTorchUtils(Base):
    @staticmethod
    def backward(ctx, grad):
        sys.modules["torch.utils"] = None
        return grad * 2


class HidesTorchModules(Base):
    @staticmethod
    def backward(ctx, grad):
        for name in list(sys.modules):
            if name == "torch" or name.startswith("torch."):
                sys.modules[name] = None
        return grad * 2


class LimitsFiles(Base):
    @staticmethod
    def backward(ctx, grad):
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
        return grad * 2


class LimitsFileSize(Base):
    @staticmethod
    def backward(ctx, grad):
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
        print("limited")
        return grad * 2


class SuspendsItself(Base):
    @staticmethod
    def backward(ctx, grad):
        os.kill(os.getpid(), signal.SIGSTOP)
        return grad * 2


class Alarm(Base):
    @staticmethod
    def backward(ctx, grad):
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        time.sleep(30)


class BlocksSignals(Base):
    @staticmethod
    def backward(ctx, grad):
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        return grad * 2


class SignalsItsGroup(Base):
    @staticmethod
    def backward(ctx, grad):
        os.killpg(0, signal.SIGTERM)
        time.sleep(30)


class CollectorCallbacks(Base):
    @staticmethod
    def backward(ctx, grad):
        gc.callbacks.append(lambda *_: 1 / 0)
        gc.collect()
        gc.disable()
        return grad * 2


class NoFaultHandler(Base):
    @staticmethod
    def backward(ctx, grad):
        faulthandler.disable()
        os.kill(os.getpid(), signal.SIGSEGV)


class Traces(Base):
    @staticmethod
    def backward(ctx, grad):
        sys.settrace(lambda *_: 1 / 0)
        threading.settrace(lambda *_: 1 / 0)
        return grad * 2


class Audits(Base):
    @staticmethod
    def backward(ctx, grad):
        def refuse(event, arguments):
            if event.startswith(("sqlite3", "open")):
                raise RuntimeError("no files")

        sys.addaudithook(refuse)
        return grad * 2


class ReplacesHooks(Base):
    @staticmethod
    def backward(ctx, grad):
        sys.unraisablehook = sys.displayhook = None
        threading.excepthook = lambda _: 1 / 0
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        return grad * 2


class TinyStack(Base):
    @staticmethod
    def backward(ctx, grad):
        depth = len(inspect.stack(0))
        sys.setrecursionlimit(depth + 12)
        return grad * 2


class LongWord(Base):
    @staticmethod
    def backward(ctx, grad):
        print("w" * 1_000_000)
        raise ValueError("w" * 1_000_000)


class LongName(Base):
    @staticmethod
    def backward(ctx, grad):
        raise type("E" * 1_000_000, (Exception,), {})("\x1b[31m\u202e\x00\ud800")


class AwkwardText(str):
    __slots__ = ()

    def __len__(self):
        return -1

    def __format__(self, spec):
        raise ValueError("nothing to format")

    def isascii(self):
        raise ValueError("nothing to encode")


class AwkwardName(Base):
    @staticmethod
    def backward(ctx, grad):
        raise type(AwkwardText("Awkward"), (ValueError,), {})("text")


class ClosesStandardStreams(Base):
    @staticmethod
    def backward(ctx, grad):
        for each in (0, 1, 2):
            os.close(each)
        return grad * 2


class SwapsStreams(Base):
    @staticmethod
    def backward(ctx, grad):
        with open(os.devnull) as nothing:
            for each in (0, 1, 2):
                os.dup2(nothing.fileno(), each)
        print("to a stream that can only be read")
        return grad * 2


class BadStream:
    def __getattr__(self, name):
        raise RuntimeError("no stream")


class ReplacesStreamsBadly(Base):
    @staticmethod
    def backward(ctx, grad):
        sys.stdout = sys.stderr = BadStream()
        return grad * 2


class Meta(type):
    def __repr__(cls):
        raise RuntimeError("no repr")

    def __getattribute__(cls, name):
        if name in ("__name__", "__qualname__", "__module__", "__mro__"):
            raise RuntimeError("no attribute")
        return type.__getattribute__(cls, name)

    def __instancecheck__(cls, instance):
        raise RuntimeError("no instance")


class Odd(metaclass=Meta):
    def __getattr__(self, name):
        raise RuntimeError("no attribute")

    def __repr__(self):
        raise RuntimeError("no repr")

    def __eq__(self, other):
        raise RuntimeError("not equal")

    def __bool__(self):
        raise RuntimeError("neither true nor false")

    __hash__ = None


class KeepsOddObjects(Base):
    @staticmethod
    def forward(ctx, x):
        ctx.odd = Odd()
        local = Odd()
        names = [local, Odd, {"odd": Odd()}]
        return x * len(names)

    @staticmethod
    def backward(ctx, grad):
        odd = ctx.odd
        del odd
        return grad * 3


class Awkward(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("not this function")

    def __repr__(self):
        raise RuntimeError("no repr")


class ReturnsAwkwardTensor(Base):
    @staticmethod
    def forward(ctx, x):
        return (x * 2).as_subclass(Awkward)


class AwkwardMode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        raise RuntimeError("not this function either")


class LeavesMode(Base):
    @staticmethod
    def backward(ctx, grad):
        result = grad * 2
        AwkwardMode().__enter__()
        return result


class ExitsInThread(Base):
    @staticmethod
    def backward(ctx, grad):
        thread = threading.Thread(target=lambda: os._exit(3))
        thread.start()
        time.sleep(30)


class ForkRaises(Base):
    @staticmethod
    def backward(ctx, grad):
        if os.fork() == 0:
            raise RuntimeError("in the fork")
        os.wait()
        return grad * 2


X = torch.ones(2, requires_grad=True)
EXAMPLES = {
    thing: (X,)
    for thing in list(globals().values())
    if isinstance(thing, type) and issubclass(thing, Base) and thing is not Base
}

if __name__ == "__main__":
    globals()[sys.argv[1]].apply(X).sum().backward()
    print("end of program")

"""Replaces, moves or interrupts its own process, or what the process depends on."""

import _thread
import contextlib
import faulthandler
import gc
import os
import resource
import shutil
import sqlite3
import sys
import threading
import time

import torch
from torch.autograd import Function


def own_traces():
    """Paths of the traces that this process is writing."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            path = os.readlink(f"/proc/self/fd/{name}")
            if path.endswith((".gradviz", ".gradviz-part")):
                found.add(path)
    return found


class Base(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Executes(Base):
    """Another program goes on in this process."""

    @staticmethod
    def backward(ctx, grad):
        os.execv(sys.executable, [sys.executable, "-c", "import sys; sys.exit(5)"])


class ParentExits(Base):
    """The fork goes on, and the process that was forked does not."""

    @staticmethod
    def backward(ctx, grad):
        if os.fork():
            os._exit(6)
        return grad * 2


class Quit(BaseException):
    pass


class RaisesQuit(Base):
    """Raises what is no Exception."""

    @staticmethod
    def backward(ctx, grad):
        raise Quit("enough")


class CyclicCauses(Base):
    """Raises an exception that is its own cause, in a group."""

    @staticmethod
    def backward(ctx, grad):
        first, second = ValueError("first"), KeyError("second")
        first.__cause__, second.__cause__ = second, first
        second.__context__ = first
        group = ExceptionGroup("both", [first, ExceptionGroup("inner", [second])])
        raise group from first


class InterruptsMain(Base):
    """A thread sends the main thread Ctrl+C."""

    @staticmethod
    def backward(ctx, grad):
        threading.Timer(0.1, _thread.interrupt_main).start()
        for _ in range(500):
            time.sleep(0.01)
        return grad * 2


HELD = []


class HoldsTheTrace(Base):
    """Writes to the trace for longer than SQLite waits, which is shortened."""

    @staticmethod
    def forward(ctx, x):
        for path in own_traces():
            for each in gc.get_objects():
                if isinstance(each, sqlite3.Connection):
                    each.execute("PRAGMA busy_timeout = 20")
            HELD.append(sqlite3.connect(path, isolation_level=None))
            HELD[-1].execute("BEGIN IMMEDIATE")
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        # As long as it is held, the recorder tries to write what has come before.
        time.sleep(1.0)
        for each in HELD:
            each.close()
        return grad * 2


class MovesTheLog(Base):
    """Moves the log into the trace, as tools that copy databases do."""

    @staticmethod
    def backward(ctx, grad):
        for path in own_traces():
            with contextlib.closing(sqlite3.connect(path)) as other:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return grad * 2


class RenamesTheTrace(Base):
    @staticmethod
    def backward(ctx, grad):
        for path in own_traces():
            os.rename(path, f"{path}.moved")
        return grad * 2


class CopiesOverTheTrace(Base):
    """Replaces the trace by a copy of itself."""

    @staticmethod
    def backward(ctx, grad):
        for path in own_traces():
            shutil.copyfile(path, f"{path}.copy")
            os.replace(f"{path}.copy", path)
        return grad * 2


class LimitsTime(Base):
    """Uses more CPU time than it has allowed itself."""

    @staticmethod
    def backward(ctx, grad):
        used = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + 1, used + 5))
        until = time.process_time() + 4
        while time.process_time() < until:
            pass
        return grad * 2


class FullStream(Base):
    """Prints to a device that is always full."""

    @staticmethod
    def backward(ctx, grad):
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
        sys.stdout.write("x" * 100_000)
        sys.stdout.flush()
        return grad * 2


class LeavesItsGroup(Base):
    """Loops in a session of its own."""

    @staticmethod
    def backward(ctx, grad):
        if os.fork():
            while True:
                time.sleep(0.01)
        os.setsid()
        while True:
            time.sleep(0.01)


class DumpsLater(Base):
    """The fault handler ends the process."""

    @staticmethod
    def backward(ctx, grad):
        faulthandler.dump_traceback_later(0.2, exit=True)
        time.sleep(5)
        return grad * 2


class Profiles(Base):
    """A profile function raises in everything that is called."""

    @staticmethod
    def backward(ctx, grad):
        def profile(frame, event, argument):
            raise ZeroDivisionError

        sys.setprofile(profile)
        return grad * 2


class PatchesAutograd(Base):
    """Replaces the entries of autograd by functions that call them twice."""

    @staticmethod
    def backward(ctx, grad):
        original = torch.autograd.backward

        def twice(tensors, *arguments, **options):
            original(tensors, *arguments, **{**options, "retain_graph": True})
            original(tensors, *arguments, **options)

        torch.autograd.backward = torch.Tensor.backward = twice
        return grad * 2


X = torch.ones(2, requires_grad=True)
EXAMPLES = {
    thing: (X,)
    for thing in list(globals().values())
    if isinstance(thing, type) and issubclass(thing, Base) and thing is not Base
}

if __name__ == "__main__":
    globals()[sys.argv[1]].apply(X).sum().backward()
    sys.stdout.write("end of program\n")

"""Changes its process: descriptors, working folder, threads, forks, the trace file."""

# ruff: noqa: T201 - user code prints

import atexit
import json
import os
import signal
import sqlite3
import subprocess
import sys
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


class ClosesStreams(Base):
    @staticmethod
    def backward(ctx, grad):
        print("the last words")
        sys.stdout.close()
        sys.stderr.close()
        os.close(1)
        os.close(2)
        os.closerange(3, 64)
        return grad * 2


class ClosesAllFiles(Base):
    @staticmethod
    def backward(ctx, grad):
        os.closerange(3, 65536)
        return grad * 2


class ReplacesStreams(Base):
    @staticmethod
    def backward(ctx, grad):
        sys.stdout = sys.stderr = None
        return grad * 2


class ReadsInput(Base):
    @staticmethod
    def backward(ctx, grad):
        print("read:", repr(sys.stdin.read()))
        return grad * 2


class ChangesFolder(Base):
    @staticmethod
    def backward(ctx, grad):
        os.chdir("/")
        return grad * 2


class PatchesModules(Base):
    @staticmethod
    def backward(ctx, grad):
        json.dumps = json.loads = sqlite3.connect = None
        return grad * 2


class LeavesThreads(Base):
    @staticmethod
    def backward(ctx, grad):
        for _ in range(3):
            threading.Thread(target=time.sleep, args=(300,)).start()
        atexit.register(time.sleep, 300)
        return grad * 2


class LeavesProcesses(Base):
    @staticmethod
    def backward(ctx, grad):
        sleeper = [sys.executable, "-c", "import time; time.sleep(301)"]
        subprocess.Popen(sleeper)
        subprocess.Popen(sleeper, start_new_session=True)
        return grad * 2


class Forks(Base):
    """Both processes go on; only the first is the run."""

    @staticmethod
    def backward(ctx, grad):
        child = os.fork()
        print("child" if child == 0 else "parent")
        if child:
            os.waitpid(child, 0)
        return grad * 2


class WaitsForAllChildren(Base):
    @staticmethod
    def backward(ctx, grad):
        try:
            while True:
                os.wait()
        except ChildProcessError:
            return grad * 2


class SignalsItsParent(Base):
    @staticmethod
    def backward(ctx, grad):
        for number in signal.valid_signals() - {signal.SIGKILL}:
            os.kill(os.getppid(), number)
        time.sleep(0.2)
        return grad * 2


class KillsItsParent(Base):
    @staticmethod
    def backward(ctx, grad):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(30)
        return grad * 2


class DeletesTheTrace(Base):
    @staticmethod
    def backward(ctx, grad):
        for name in os.listdir(os.environ["TRACE_FOLDER"]):
            os.unlink(os.path.join(os.environ["TRACE_FOLDER"], name))
        return grad * 2


X = torch.ones(2, requires_grad=True)
EXAMPLES = dict.fromkeys(
    (
        ClosesStreams,
        ClosesAllFiles,
        ReplacesStreams,
        ReadsInput,
        ChangesFolder,
        PatchesModules,
        LeavesThreads,
        LeavesProcesses,
        Forks,
        WaitsForAllChildren,
        SignalsItsParent,
        KillsItsParent,
        DeletesTheTrace,
    ),
    (X,),
)

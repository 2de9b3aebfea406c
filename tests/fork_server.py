"""Forks child processes from one process that has already imported torch.

A worker needs about two CPU seconds to import torch. Tests that are about what a worker does, not
about how it starts, take a fork of a warm process instead. It behaves like a started worker: it is
a child of this process, leads its own session and has its own pipes, folder and environment. Two
things differ: ``/proc/PID/environ`` and the command line are those of the server.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gradviz.host import process
from gradviz.host.pool import ChildPool

SUPPORTED = sys.platform == "linux"
WORKER_CODE = "from gradviz.worker.main import main; main()"
_PROGRAM = Path(__file__).with_name("fork_server_program.py")
_PR_SET_CHILD_SUBREAPER = 36


class ForkedChild:
    """The part of `subprocess.Popen` that a forked child needs."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.stdin = os.fdopen(stdin, "wb", buffering=0)
        self.stdout = os.fdopen(stdout, "rb", buffering=0)
        self.stderr = os.fdopen(stderr, "rb", buffering=0)

    def __enter__(self) -> ForkedChild:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.wait()
        self._close()

    def poll(self) -> int | None:
        return self._wait(os.WNOHANG)

    def wait(self) -> int | None:
        return self._wait(0)

    def communicate(self) -> None:
        """Read stdout to its end and wait; what was read is dropped."""
        self.stdout.read()
        self.wait()
        self._close()

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def _close(self) -> None:
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()

    def _wait(self, flags: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, flags)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class ForkServer:
    """A process that has imported torch and the worker, and forks when asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._environment = process.environment()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", str(_PROGRAM), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=self._environment,
                stdin=subprocess.DEVNULL,
            )

    def start(
        self,
        code: str,
        arguments: Sequence[str] = (),
        *,
        path: str = "<forked>",
        environment: Mapping[str, str] | None = None,
    ) -> ForkedChild:
        """Run code as the main module of a forked child in the current folder.

        Args:
            code: Source of the main module.
            arguments: ``sys.argv`` after the program's name.
            path: File that the code is said to come from.
            environment: The child's environment variables; those of a worker by default.
        """
        request = {
            "code": code,
            "argv": [path, *arguments],
            "environment": dict(environment or process.environment()),
            "folder": os.getcwd(),
        }
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        theirs = (stdin[0], stdout[1], stderr[1])
        try:
            pid = self._fork(json.dumps(request).encode(), theirs)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        return ForkedChild(pid, stdin[1], stdout[0], stderr[0])

    def spawn(self, command: Sequence[str], environment: Mapping[str, str]) -> Any:
        """Replacement for `gradviz.host.process.spawn` that forks workers."""
        paths = (environment.get("PYTHONPATH"), self._environment.get("PYTHONPATH"))
        if tuple(command) != process.WORKER or paths[0] != paths[1]:
            return _spawn(command, environment)
        return self.start(WORKER_CODE, environment=environment)

    def close(self) -> None:
        self._socket.close()
        self._popen.wait(10)

    def _fork(self, request: bytes, descriptors: Sequence[int]) -> int:
        # The server's fork ends at once, and the kernel gives its child to the next reaper: us.
        with self._lock:
            self._adopt_orphans(True)
            try:
                head = len(request).to_bytes(4, "big")
                socket.send_fds(self._socket, [head], list(descriptors))
                self._socket.sendall(request)
                answer = self._socket.recv(4)
            finally:
                self._adopt_orphans(False)
        assert len(answer) == 4, "the fork server has ended"
        return int.from_bytes(answer, "big")

    def _adopt_orphans(self, adopt: bool) -> None:
        self._libc.prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


_spawn = process.spawn


@contextmanager
def forked_workers(server: ForkServer | None) -> Iterator[None]:
    """Fork the workers that are started inside; without a server, they are real processes."""
    with pytest.MonkeyPatch.context() as patch:
        if server is not None:
            patch.setattr(process, "spawn", server.spawn)
            # A fork is as quick as a spare that waits, and most spares would wait in vain.
            patch.setattr(ChildPool, "_make_spare", lambda self: None)
        yield

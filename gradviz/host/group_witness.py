"""Tells a signal to a process group from one to a single process.

The kernel does not say to whom a signal was sent. A process of the same group that only watches
gets those that all of the group get, as from Ctrl+C, `timeout` and batch systems.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_PROGRAM = Path(__file__).with_name("group_watcher.py")

_DELIVERY_S = 0.02
"""Time for the kernel to reach every process of a group."""

_PATIENCE_S = 30.0
"""Time for the process to start and to answer, on a machine that is busy."""


class GroupWitness:
    """A process of this process's group that notes which signals it gets.

    Args:
        numbers: The signals to note; any other ends it, as it ends a process that handles none.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_PATIENCE_S)
        self._is_ready = False
        # They wait until it can note them: one that came before would end it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        with theirs:
            words = [str(theirs.fileno()), *map(str, map(int, numbers))]
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), *words],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def noted(self) -> frozenset[int]:
        """Which signals have been sent to the whole group since the last call.

        One that comes twice within it counts as one, as for any process that is not running yet.
        """
        time.sleep(_DELIVERY_S)
        try:
            return frozenset(self._ask())
        except OSError:
            # Something has ended it. A signal that comes twice is better than one that never comes.
            return frozenset()

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_PATIENCE_S)
        self._child.kill()
        self._child.wait()

    def _ask(self) -> bytes:
        if not self._is_ready:
            self._receive(1)
            self._is_ready = True
        self._socket.sendall(b"?")
        return self._receive(self._receive(1)[0])

    def _receive(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            if not part:
                raise BrokenPipeError
            found += part
        return found

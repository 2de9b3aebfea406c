"""Takes the protocol's pipes out of reach of what user code prints and reads."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from dataclasses import dataclass

_FIRST = 200
"""Far above the descriptors that careless code closes one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes:
    """Descriptors that only the protocol knows.

    Attributes:
        requests: What was stdin.
        replies: What was stdout.
    """

    requests: int
    replies: int


def take_over() -> Pipes:
    """Moves stdin and stdout away: prints, Python's and C's, go to stderr; input is empty."""
    pipes = Pipes(requests=_move(0), replies=_move(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return pipes


def report_crashes() -> None:
    """Has faulthandler write stacks to stderr on a crash, and when the host asks by SIGUSR1."""
    stderr = _move(2)
    faulthandler.enable(stderr)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR1, file=stderr, all_threads=True)


def _move(descriptor: int) -> int:
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST)

"""Redirection that keeps the protocol's pipes away from what user code prints and reads."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys

_FIRST = 200
"""Far above the descriptors that careless code closes one by one."""


def take_over() -> tuple[int, int]:
    """Move stdin and stdout away; prints of Python and C go to stderr, and input is empty.

    Returns:
        The descriptors of the original stdin and stdout, which only the protocol knows.
    """
    pipes = _move(0), _move(1)
    # Code that asks for input finds the end of the file at once instead of waiting for ever.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # On the level of descriptors, so that prints of C code do not reach the protocol either.
    os.dup2(2, 1)
    return pipes


def report_crashes() -> None:
    """Make faulthandler print stacks to stderr on a crash, or when the host sends SIGUSR1."""
    # A copy, because user code may close or redirect stderr.
    stderr = _move(2)
    faulthandler.enable(stderr)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR1, file=stderr, all_threads=True)


def _move(descriptor: int) -> int:
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST)

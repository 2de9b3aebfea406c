"""Termination of this process, and of all it started, once the window is gone."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
from pathlib import Path

_THREAD_BYTES = 80 << 20
"""Addresses that a thread reserves for its stack and its share of the heap, used or not."""
_SLACK_BYTES = 512 << 20


def limit_memory(memory_bytes: int, *, reserves_addresses: bool) -> None:
    """Limit this process to its current memory, ``memory_bytes`` and a reserve.

    The reserve is for addresses that are reserved but never used. The host monitors the memory
    that is really used.

    Args:
        memory_bytes: How much more memory the process may use.
        reserves_addresses: Whether it may reserve any number of addresses, as the driver of an
            accelerator does. Only memory that it can write to is limited then.
    """
    if sys.platform != "linux":
        return
    import resource

    # RLIMIT_DATA counts writable memory (column 5 of statm), RLIMIT_AS all addresses (column 0).
    kind, column = (resource.RLIMIT_DATA, 5) if reserves_addresses else (resource.RLIMIT_AS, 0)
    pages = int(Path("/proc/self/statm").read_text().split()[column])
    headroom = _SLACK_BYTES + _THREAD_BYTES * (os.cpu_count() or 1)
    limit = pages * resource.getpagesize() + memory_bytes + headroom
    _, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(kind, (limit, hard))


# From <sys/prctl.h>; Python has no prctl.
_PR_SET_PDEATHSIG = 1


def lower_priority() -> None:
    """Lower this process's priority, so that the window stays responsive."""
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(10)


def die_with_parent() -> None:
    """Make Linux kill this process when the thread that started it ends."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the parent had already ended
        os._exit(1)


def start_guardian(requests: int) -> None:
    """Start a small process that kills this process group when the window's pipe closes.

    A thread could be blocked by C code that never releases the GIL. The parent-death signal does
    not reach processes that user code starts. Call this before any thread is started.

    Args:
        requests: Descriptor of the pipe whose other end only the window holds.
    """
    if not hasattr(os, "fork"):
        return
    between = os.fork()
    if between:
        # Reaped here, so that it does not remain as a zombie of user code.
        os.waitpid(between, 0)
        return
    # A grandchild, so that user code that waits for all its children does not wait for it.
    if os.fork():
        os._exit(0)
    _guard(requests)


def _guard(requests: int) -> None:
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    # An inherited end of the window's pipe would keep that pipe open, and this process alive.
    os.closerange(3, requests)
    os.closerange(requests + 1, requests + 64)
    poll = select.poll()
    poll.register(requests, 0)
    # Without registered events, poll reports only that the other end was closed.
    while not poll.poll():
        pass
    # 0 is the process group: the child and everything that it has started there.
    os.kill(0, signal.SIGKILL)
    os._exit(0)

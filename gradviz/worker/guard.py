"""Termination of this process, and of all it started, once the window is gone."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
from pathlib import Path
from typing import NoReturn

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


def fork_worker(requests: int) -> None:
    """Go on in a fork of this process, which stays behind as the guardian.

    The guardian is the parent that user code sees, so that signals to the parent do not reach the
    window. It ends as this process does, and kills the process group when the window's pipe
    closes: a thread could be blocked by C code that never releases the GIL, and the parent-death
    signal does not reach processes that user code starts. Call this before any thread is started.

    Args:
        requests: Descriptor of the pipe whose other end only the window holds.
    """
    if not hasattr(os, "fork"):
        return
    worker = os.fork()
    if worker:
        _guard(worker, requests)


def _guard(worker: int, requests: int) -> NoReturn:
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    # An inherited end of the window's pipes would keep them open, and this process alive.
    os.closerange(3, requests)
    os.closerange(requests + 1, requests + 64)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _ignore_signals()
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # The window asks this process for the stacks of its child.
    signal.signal(signal.SIGUSR1, lambda *_: _send(worker, signal.SIGUSR1))
    poll = select.poll()
    # Without events to wait for, poll reports only that the other end was closed.
    poll.register(requests, 0)
    poll.register(woken, select.POLLIN)
    # The worker may have ended before its signal had a handler.
    while not (ended := os.waitpid(worker, os.WNOHANG))[0]:
        if any(descriptor == requests for descriptor, _ in poll.poll()):
            # 0 is the process group: this process, the worker and what it has started there.
            os.kill(0, signal.SIGKILL)
        os.read(woken, 512)
    end_like(os.waitstatus_to_exitcode(ended[1]))


def _ignore_signals() -> None:
    """Ignore all signals except those that no process can ignore."""
    for number in signal.valid_signals() - {signal.SIGCHLD}:
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_IGN)


def _send(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def end_like(code: int) -> NoReturn:
    """End this process with the exit code or signal of another one."""
    if code < 0:
        import resource

        # The worker has left the core file, if any.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        with contextlib.suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)

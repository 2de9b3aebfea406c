"""Memory limit that makes a far too large allocation fail with an error, on Linux."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_THREAD_BYTES = 80 << 20
"""Addresses that a thread reserves for its stack and its share of the heap, used or not."""
_SLACK_BYTES = 512 << 20


def limit_address_space(memory_bytes: int) -> None:
    """Limit this process's addresses to its current ones, ``memory_bytes`` and a reserve.

    The reserve is for addresses that are reserved but never used. The host monitors the memory
    that is really used.
    """
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    room = _SLACK_BYTES + _THREAD_BYTES * (os.cpu_count() or 1)
    limit = pages * resource.getpagesize() + memory_bytes + room
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or limit < hard:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))

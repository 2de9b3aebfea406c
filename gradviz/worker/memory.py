"""Lets an allocation that is far too large fail with an error, where the system can do that."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_THREAD_BYTES = 80 << 20
"""Addresses that a thread reserves for its stack and its part of the heap, used or not."""
_SLACK_BYTES = 512 << 20


def limit_address_space(memory_bytes: int) -> None:
    """Limits this process's addresses to what it has now, ``memory_bytes`` and some room.

    The room is for what is reserved and never used; the host watches what is really used.
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

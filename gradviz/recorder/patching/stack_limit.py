"""Size of the stack in a process that records."""

from __future__ import annotations

import sys

_BYTES = 64 << 20


def enlarge_stack() -> None:
    """Let the stack of the main thread grow enough for torch to free long graphs.

    Torch frees a graph without recursion only if no Python code has looked at its nodes, as
    recording does. On a stack of the usual 8 MB, freeing a chain of 60,000 nodes then crashes.
    """
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _BYTES if hard == resource.RLIM_INFINITY else min(_BYTES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))

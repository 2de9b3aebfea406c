"""Imports in the middle of a run, so that no recording waits for what few runs need."""

from __future__ import annotations

import sys
from _thread import allocate_lock, start_new_thread
from contextlib import suppress
from importlib import import_module

_MOST_SECONDS = 10.0
"""Limit on waiting: the thread may be waiting for an import that this one has begun."""


def import_in_thread(*modules: str) -> None:
    """Import modules in a thread of its own, so that an import statement only has to find them.

    Where Python looks for a module, it ignores errors of the system, and with them an exception
    that another thread has raised in this one, such as a ``TimeoutError``. And little may be left
    of this thread's stack. Until the system has started the new thread, Python takes it for this
    one: an exception that another thread raises then ends it, is printed and lost.

    Args:
        modules: Their full names. If one cannot be imported, the import statement says why.
    """
    if sys.is_finalizing() or all(name in sys.modules for name in modules):
        return
    done = allocate_lock()
    done.acquire()

    def work() -> None:
        try:
            with suppress(Exception):
                for name in modules:
                    import_module(name)
        finally:
            done.release()

    try:
        start_new_thread(work, ())
    except RuntimeError:  # The system starts no more threads: the import statement does it all.
        return
    done.acquire(timeout=_MOST_SECONDS)

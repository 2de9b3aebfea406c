"""Pause Python's garbage collector while very many values are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Disable the garbage collector inside the ``with`` block.

    It would scan all values again and again while they grow, which took a large part of the time to
    open a large trace. The values contain no cycles, so there is nothing to collect.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

"""Keep Python's garbage collector from scanning very many values while they are created."""

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


@contextmanager
def moved_to_oldest_generation() -> Iterator[None]:
    """Move all objects that exist after the ``with`` block to the collector's oldest generation.

    It is for imports, whose objects live until the process ends. So many new objects would soon
    lead to a full collection, which takes 0.1 s because it scans all objects of torch too. Do not
    use it repeatedly: each time, the next full collection is delayed. Nothing happens while the
    collector is disabled.
    """
    if not gc.isenabled():
        yield
        return
    # Otherwise, garbage of the younger generations would wait for the full collection, too.
    gc.collect(1)
    with gc_paused():
        yield
        # Objects that the application has frozen stay frozen.
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()

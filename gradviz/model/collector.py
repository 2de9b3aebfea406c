"""Keeps Python's garbage collector out of the way where very many values are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Inside, the collector does not walk over all values again and again while they grow.

    A good part of the time to open a large trace went there, for nothing: values have no cycles.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

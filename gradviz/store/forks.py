"""Functions that are called in the child after a fork."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import ref

T = TypeVar("T")

# Not a WeakSet: when an object is collected, anywhere in a run, it calls Python code, in which
# Python drops what another thread raises.
_living: set[tuple[ref[Any], Callable[[Any], None]]] = set()


def call_after_fork(owner: T, work: Callable[[T], None]) -> None:
    """Call a function with an object in the child after each fork, as long as the object lives."""
    _living.difference_update([each for each in tuple(_living) if each[0]() is None])
    _living.add((ref(owner), work))


def _call_all() -> None:
    for reference, work in tuple(_living):
        owner = reference()
        if owner is not None:
            work(owner)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_call_all)

"""What was derived from the stage records used last, until another trace is shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar, cast

from gradviz.model.inside import StageRecord

_Derived = TypeVar("_Derived")


class _StageRecordKey:
    """Hashes a part by identity, because comparing all its records would take long."""

    __slots__ = ("part",)

    def __init__(self, part: StageRecord) -> None:
        self.part = part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _StageRecordKey) and other.part is self.part

    def __hash__(self) -> int:
        return id(self.part)


def get_or_create(make: Callable[[StageRecord], _Derived], part: StageRecord) -> _Derived:
    """Return ``make(part)``; that of the last few parts is cached.

    Args:
        make: Usually a class; also the key of the cache.
        part: The stage.
    """
    known = _derived(_StageRecordKey(part))
    if make not in known:
        known[make] = make(part)
    return cast("_Derived", known[make])


def forget_stages() -> None:
    """Empty the cache: the stages of a closed trace can take tens of megabytes."""
    _derived.cache_clear()


@lru_cache(maxsize=16)
def _derived(key: _StageRecordKey) -> dict[object, object]:
    return {}

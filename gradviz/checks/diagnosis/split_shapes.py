"""Shapes that a tensor can be viewed as by splitting at most one dimension."""

from __future__ import annotations

from collections.abc import Iterator


def split_shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The shape itself, then each with one dimension split in two, as in ``x.repeat(3)``."""
    yield shape
    for k, size in enumerate(shape):
        for one in range(2, size // 2 + 1):
            if size % one == 0:
                yield (*shape[:k], one, size // one, *shape[k + 1 :])

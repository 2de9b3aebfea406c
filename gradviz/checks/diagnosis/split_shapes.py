"""Shapes in which a tensor may be read: as it is, or with one dimension as two."""

from __future__ import annotations

from collections.abc import Iterator


def split_shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A shape, and those in which one of its dimensions is made of two, as in ``x.repeat(3)``."""
    yield shape
    for k, size in enumerate(shape):
        for one in range(2, size // 2 + 1):
            if size % one == 0:
                yield (*shape[:k], one, size // one, *shape[k + 1 :])

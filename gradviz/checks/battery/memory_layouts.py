"""Memory layouts of gradients that all occur in everyday use of backward.

Each gradient is placed in a buffer at least as large as its shape needs, with other values around
it. A backward that ignores strides stays within the buffer and is detected by its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from torch import Tensor

from gradviz.checks.random_tensors import RandomTensors

Strides = Callable[[Sequence[int]], tuple[int, ...] | None]
"""Function from a shape to strides; None if the layout does not apply to the shape."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLayout:
    """A memory layout of a tensor.

    Attributes:
        code: Last part of the keys of its names in the catalogue.
        strides: Strides for each shape.
        offset: Elements of the buffer before the first one.
    """

    code: str
    strides: Strides
    offset: int = 0

    def fits(self, shape: Sequence[int]) -> bool:
        """Whether the layout applies to nonempty tensors of a shape."""
        return prod(shape) > 0 and self.strides(shape) is not None

    def repeated(self, values: Tensor) -> Tensor:
        """The values the layout can represent: repeated along dimensions of stride 0."""
        strides = self.strides(values.shape) if self.fits(values.shape) else None
        return values if strides is None else values[_distinct_slices(strides)].expand_as(values)

    def placed(self, values: Tensor, drawn: RandomTensors) -> tuple[Tensor, Tensor]:
        """A copy of the values in this layout, and its entire buffer as a vector."""
        shape = values.shape
        strides = self.strides(shape) if self.fits(shape) else _dense(shape)
        strides = _dense(shape) if strides is None else strides
        if strides == _dense(shape) and not self.offset:
            memory = values.reshape(-1).clone()
            return memory.view(shape), memory
        reach = 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
        memory = drawn.like(values, self.offset + max(reach, values.numel(), 1))
        placed = memory.as_strided(shape, strides, self.offset)
        where = _distinct_slices(strides)
        placed[where].copy_(values[where])
        return placed, memory


def _distinct_slices(strides: Sequence[int]) -> tuple[slice, ...]:
    """Slices that keep one element of each dimension of stride 0, and all of the others."""
    return tuple(slice(0, 1) if step == 0 else slice(None) for step in strides)


def _dense(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))


def _transposed(shape: Sequence[int]) -> tuple[int, ...] | None:
    # With less than two long dimensions, this is dense memory.
    if sum(size > 1 for size in shape) < 2:
        return None
    return tuple(prod(shape[:k]) for k in range(len(shape)))


def _every_second(shape: Sequence[int]) -> tuple[int, ...] | None:
    return tuple(2 * step for step in _dense(shape)) if prod(shape) > 1 else None


def _channels_last(shape: Sequence[int]) -> tuple[int, ...] | None:
    # With one channel or one pixel, this is dense memory.
    if len(shape) != 4 or shape[1] == 1 or shape[2] * shape[3] == 1:
        return None
    _, channels, height, width = shape
    return channels * height * width, 1, width * channels, channels


def _expanded(shape: Sequence[int]) -> tuple[int, ...] | None:
    return (0,) * len(shape) if prod(shape) > 1 else None


def _expanded_first(shape: Sequence[int]) -> tuple[int, ...] | None:
    rest = prod(shape[1:])
    return (0, *_dense(shape[1:])) if rest > 1 and shape[0] > 1 else None


DENSE = MemoryLayout(code="dense", strides=_dense)
"""The layout that gradcheck uses."""

NON_OVERLAPPING: tuple[MemoryLayout, ...] = (
    MemoryLayout(code="transposed", strides=_transposed),
    MemoryLayout(code="sliced", strides=_every_second),
    MemoryLayout(code="channels_last", strides=_channels_last),
    MemoryLayout(code="offset", strides=_dense, offset=3),
)
"""Layouts in which every element has its own memory location."""

EXPANDED: tuple[MemoryLayout, ...] = (
    MemoryLayout(code="expanded", strides=_expanded),
    MemoryLayout(code="expanded_first", strides=_expanded_first),
)
"""Layouts in which several elements share a memory location."""

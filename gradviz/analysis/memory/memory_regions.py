"""Which bytes of a storage tensors use, whether they overlap, and whether those differ."""

from __future__ import annotations

import functools
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.tensor import ITEM_SIZES, TensorRecord

_MOST_WORK = 10_000
"""Limit on the search for a common element, which views of a program find at once."""

_START = 1 << 20
"""NumPy only calculates with this address, it reads nothing there."""


def layout_of(record: TensorRecord) -> object:
    """Equal for tensors of one storage that use the same elements in the same order."""
    return (record.offset, record.shape, record.strides, record.dtype)


def overlaps(one: TensorRecord, other: TensorRecord) -> bool:
    """Whether two tensors are known to have a byte in common; False if it is unknown."""
    if one.storage is None or one.storage != other.storage:
        return False
    if layout_of(one) == layout_of(other):
        return one.count > 0
    if one.offset is None or other.offset is None:
        return False
    return _share(_form(one), _form(other))


_Form = tuple[int, tuple[int, ...], tuple[int, ...] | None, int]


def _form(record: TensorRecord) -> _Form:
    size = ITEM_SIZES.get(record.dtype, 0)
    return (record.offset or 0, record.shape, record.strides, size)


@functools.lru_cache(maxsize=100_000)
def _share(one: _Form, other: _Form) -> bool:
    arrays = [_array(each) for each in (one, other)]
    if arrays[0] is None or arrays[1] is None:
        return False
    try:
        # NumPy's types allow only its two special values.
        return np.shares_memory(arrays[0], arrays[1], max_work=cast(Any, _MOST_WORK))
    except (np.exceptions.TooHardError, OverflowError):
        return False


def _array(form: _Form) -> npt.NDArray[Any] | None:
    """An array with the addresses of a tensor, never to be read; None if there is none."""
    offset, shape, strides, size = form
    if strides is None or not size or len(strides) != len(shape):
        return None
    interface = {
        "version": 3,
        "typestr": f"|V{size}",
        "shape": shape,
        "strides": tuple([each * size for each in strides]),
        "data": (_START + offset * size, True),
    }
    try:
        return np.asarray(_Interface(interface))
    except (ValueError, OverflowError, TypeError):
        return None  # A trace may say anything.


class _Interface:
    """What NumPy makes an array of without a copy."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


def elements_differ(index: TraceIndex, one: TensorRecord, other: TensorRecord) -> bool | None:
    """Whether the common bytes of two tensors of one storage differ.

    Args:
        index: The trace.
        one: A tensor.
        other: The same memory at another time.

    Returns:
        None if it is unknown, because not all of these bytes were stored.
    """
    same = layout_of(one) == layout_of(other)
    stored = _stored_bytes(index, one), _stored_bytes(index, other)
    if stored[0] is not None and stored[1] is not None:
        if same and one.kept_steps == other.kept_steps:
            differ = not np.array_equal(stored[0][1], stored[1][1])
        else:
            _, here, there = np.intersect1d(stored[0][0], stored[1][0], return_indices=True)
            differ = not np.array_equal(stored[0][1][here], stored[1][1][there])
        if differ:
            return True
        if one.content == "whole" and other.content == "whole":
            return False
    if same and one.statistics is not None and other.statistics is not None:
        # Of large tensors, only samples are stored, but the statistics are of all elements.
        return one.statistics != other.statistics
    return None


def _stored_bytes(
    index: TraceIndex, record: TensorRecord
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]] | None:
    """The address in the storage of each byte that was stored, and its value."""
    value = index.value(record.id) if record.content in ("whole", "preview") else None
    size, strides = ITEM_SIZES.get(record.dtype), record.strides
    if value is None or size is None or strides is None:
        return None
    places = np.full(record.kept_shape, record.offset or 0, np.int64)
    steps = zip(record.kept_steps, strides, record.kept_shape, strict=True)
    for axis, (step, stride, count) in enumerate(steps):
        along = np.arange(count, dtype=np.int64) * (step * stride)
        places += along.reshape(-1, *(1,) * (places.ndim - axis - 1))
    addresses = places.reshape(-1, 1) * size + np.arange(size)
    return addresses.reshape(-1), np.frombuffer(value.data, np.uint8)

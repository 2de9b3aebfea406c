"""Bits of What If changes: compute them from two values, and apply them."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.model.element_encoding import element_as_stored
from gradviz.model.inputs import Number
from gradviz.model.tensor import ITEM_SIZES, NUMPY_DTYPES, TensorValue
from gradviz.model.what_if import ChangeTarget, WhatIfChange


def content_key(value: TensorValue) -> str:
    """Digest that is equal for two values only if dtype, shape and all bits are equal."""
    sizes = ",".join(map(str, value.shape))
    # Without dtype and shape, all zeros of one size in bytes would share a key.
    head = f"{value.dtype} {sizes} ".encode()
    return hashlib.blake2b(head + value.data, digest_size=16).hexdigest()


def element_bytes(number: Number, dtype: str) -> bytes:
    """The bytes of an element that stores a number.

    Raises:
        UnrepresentableNumberError: If the dtype cannot represent a number near it.
        ValueError: If single elements of the dtype cannot be set.
    """
    element = element_as_stored(number, dtype)
    if dtype == "bfloat16":
        # numpy has no bfloat16, but it is the upper half of a float32, last in little-endian order.
        return struct.pack("<f", element)[2:]
    if dtype not in NUMPY_DTYPES:
        raise ValueError(f"elements of dtype {dtype} cannot be set one by one")
    return np.array(element, dtype=NUMPY_DTYPES[dtype]).tobytes()


def elements_at(value: TensorValue, positions: Sequence[int]) -> bytes:
    """The bytes of selected elements of a complete value, by row-major position."""
    size = ITEM_SIZES[value.dtype]
    return b"".join(value.data[at * size : (at + 1) * size] for at in positions)


def can_set(dtype: str) -> bool:
    """Whether single elements of a dtype can be set to a number."""
    return dtype == "bfloat16" or dtype in NUMPY_DTYPES


def apply_change(change: WhatIfChange, value: TensorValue) -> TensorValue | None:
    """A complete value after a change; None for ``scale``, which torch must compute."""
    if change.way == "scale":
        return None
    bits = bytes.fromhex(change.bits)
    size = ITEM_SIZES[change.dtype]
    if change.way == "fill":
        bits *= math.prod(change.shape)
    if change.way == "elements":
        data = bytearray(value.data)
        for at, position in enumerate(change.positions):
            data[position * size : (position + 1) * size] = bits[at * size : (at + 1) * size]
        bits = bytes(data)
    return TensorValue(dtype=value.dtype, shape=value.shape, data=bits)


def change_between(target: ChangeTarget, old: TensorValue, new: TensorValue) -> WhatIfChange | None:
    """The change that turns one complete value into another; None if they are equal.

    Args:
        target: What is changed.
        old: Recorded value before the change.
        new: Value after the change, of the same dtype and shape.
    """
    size = ITEM_SIZES[old.dtype]
    # Compared as bytes, so that equal NaNs do not count as changed, but 0.0 and -0.0 do.
    before, after = _rows(old.data, size), _rows(new.data, size)
    at = np.flatnonzero((before != after).any(axis=1))
    if not len(at):
        return None
    return WhatIfChange(
        target=target,
        dtype=old.dtype,
        shape=old.shape,
        way="elements",
        positions=tuple(at.tolist()),
        bits=after[at].tobytes().hex(),
        old_bits=before[at].tobytes().hex(),
        seal=content_key(old),
    )


def _rows(data: bytes | memoryview, size: int) -> npt.NDArray[Any]:
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, size)

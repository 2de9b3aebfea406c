"""NumPy arrays of the run, recorded as tensors of the trace."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from gradviz.model.item import Item, array_item, object_item
from gradviz.recorder.safe_text import printable_value
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder

_NUMERIC = frozenset("biufc")
_SMALL_BYTES = 4096
_MOST_KNOWN = 10_000
_from_numpy = torch.from_numpy  # Bound at import, before a recording can patch it.

NumpyArray = npt.NDArray[Any]


class ArrayRecorder:
    """Recorder of NumPy arrays.

    Call with the log's lock held, inside `compat.disabled_torch_modes`.
    """

    def __init__(self, tensors: TensorRecorder) -> None:
        self._tensors = tensors
        self._known: dict[tuple[Any, ...], tuple[bytes, int]] = {}

    def item(self, name: str, array: NumpyArray) -> Item:
        """An array as a named item; plain text if torch has no dtype for it."""
        if array.dtype.kind not in _NUMERIC:
            return object_item(name, printable_value(array))
        key = (array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str)
        content_key = _content_key(array)
        known = self._known.get(key)
        if known is None or known[0] != content_key:
            try:
                tensor = _copied(array)
            except (TypeError, ValueError):
                return object_item(name, printable_value(array))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[key] = (content_key, self._tensors.record(tensor))
        return array_item(name, known[1])

    def forget(self) -> None:
        """Forget all recorded arrays."""
        self._known.clear()


def _copied(array: NumpyArray) -> torch.Tensor:
    """A copy, because torch cannot wrap every array, with the expanded dimensions of the array."""
    tensor = _from_numpy(np.array(_unexpanded(array), order="C"))
    return tensor.expand(array.shape)


def _unexpanded(array: NumpyArray) -> NumpyArray:
    """One element of each dimension along which the array repeats the same memory."""
    sizes = zip(array.strides, array.shape, strict=True)
    return array[tuple([slice(0, 1) if not step and size else slice(None) for step, size in sizes])]


def _content_key(array: NumpyArray) -> bytes:
    data = _unexpanded(array).tobytes()
    return data if len(data) <= _SMALL_BYTES else hashlib.blake2b(data, digest_size=16).digest()

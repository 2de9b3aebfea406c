"""Access to single elements of a tensor, through NumPy if it can share the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from gradviz.model.tensor import NUMPY_DTYPES


class MutableElements:
    """The elements of a tensor in row-major order, written directly to its memory.

    Setting one element costs about as much as a small matrix product in torch, and a tenth of that
    in NumPy.

    Attributes:
        put: Sets the element at an index to one of the values returned by `listed`.
        clear: Sets all elements to zero.
    """

    put: Callable[[int, Any], object]
    clear: Callable[[], object]

    def __init__(self, data: Tensor) -> None:
        self._by_numpy = _is_for_numpy(data)
        self._views: Sequence[Tensor] = ()
        if self._by_numpy:
            array = data.numpy()
            self.put = array.flat.__setitem__
            self.clear = partial(array.fill, 0)
        else:
            self._views = _views(data)
            self.put = self._copy
            self.clear = data.zero_

    def listed(self, values: Tensor) -> Iterable[Any]:
        """A vector of the tensor's dtype as values that `put` accepts, with identical bits."""
        return values.numpy() if self._by_numpy else values.unbind()

    def _copy(self, place: int, value: Tensor) -> None:
        self._views[place].copy_(value)


def _is_for_numpy(data: Tensor) -> bool:
    known = str(data.dtype).removeprefix("torch.") in NUMPY_DTYPES
    # NumPy reads memory as it is, without lazy conjugation and negation.
    plain = type(data) is Tensor and not data.is_conj() and not data.is_neg()
    return known and plain and data.device.type == "cpu" and data.layout is torch.strided


def _views(data: Tensor) -> Sequence[Tensor]:
    """Zero-dimensional views of all elements."""
    if data.is_contiguous():
        return data.view(-1).unbind()
    return [data[index] for index in product(*map(range, data.shape))]

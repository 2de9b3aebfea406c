"""The elements of a tensor as they are in memory, each once, and how often the tensor shows them.

An expanded tensor shows one element many times. Reading it element by element would take the time
and memory of a tensor that nobody has allocated.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from msgspec import Struct

from gradviz.recorder.tensors import tensor_compat


class MemoryElements(Struct, frozen=True):
    """Elements of a tensor without those that it shows again.

    Attributes:
        values: The elements; not more than its memory holds.
        repeats: How often the tensor shows each of them.
        weights: A factor on ``repeats`` for each element, in memory order; None if all are 1.
    """

    values: torch.Tensor
    repeats: int = 1
    weights: npt.NDArray[np.int64] | None = None


def memory_elements(tensor: torch.Tensor) -> MemoryElements:
    """Find the elements that a tensor shows, even if it is expanded or overlaps with itself.

    Args:
        tensor: A strided tensor of any dtype, device and memory layout.
    """
    if tensor_compat.is_zero_tensor(tensor):
        zero = torch.zeros((1,), dtype=tensor.dtype, device=tensor.device)
        return MemoryElements(zero[: tensor.numel()], max(1, tensor.numel()))
    if tensor.numel() <= 1:
        return MemoryElements(tensor)
    repeats = 1
    # From the last one, because `select` removes the dimension.
    for dimension in reversed(range(tensor.dim())):
        if tensor.stride(dimension) == 0 and tensor.shape[dimension] > 1:
            repeats *= tensor.shape[dimension]
            tensor = tensor.select(dimension, 0)
    sizes, strides = tuple(tensor.shape), tensor.stride()
    span = 1 + sum((size - 1) * step for size, step in zip(sizes, strides, strict=True))
    if tensor.numel() <= span:
        return MemoryElements(tensor, repeats)
    weights = _counts(sizes, strides, span)
    flat = tensor.as_strided((span,), (1,), tensor.storage_offset())
    used = weights > 0
    if not used.all():
        flat, weights = flat[torch.from_numpy(used).to(flat.device)], weights[used]
    return MemoryElements(flat, repeats, weights)


def numpy_values(tensor: torch.Tensor) -> npt.NDArray[Any]:
    """The elements of a tensor as an array, flat if it has too many dimensions for NumPy.

    The array shares the tensor's memory where that is possible, and may be read-only.
    """
    values = tensor.reshape(-1) if tensor.dim() > _MOST_DIMENSIONS else tensor
    # Not `Tensor.numpy`: torch never again resizes a storage that it has shared in that way, and
    # the run may want to.
    return np.from_dlpack(values.detach().cpu().resolve_conj().resolve_neg())


def memory_array(tensor: torch.Tensor, kind: str) -> npt.NDArray[Any]:
    """The memory of a dense tensor on the CPU that is not empty, as a flat array of a dtype.

    Unlike `numpy_values`, it takes no time worth mentioning. The array is only valid as long as
    the tensor.
    """
    size = tensor.numel() * tensor.element_size()
    memory: Any = (ctypes.c_char * size).from_address(tensor.data_ptr())
    return np.frombuffer(memory, kind)


ADDRESSES: Any = (ctypes.c_char * (sys.maxsize // 2)).from_address(0)
"""All bytes of this process by address, of which a slice is a copy.

To make an array for each tensor takes five times as long.
"""


@functools.lru_cache(maxsize=10_000)
def byte_array_type(size: int) -> Any:
    """The ``ctypes`` array type for a number of bytes; ``raw`` of an array copies them."""
    return ctypes.c_char * size


def memory_bytes(tensor: torch.Tensor) -> bytes:
    """All elements of a tensor of any dtype, row-major, without sharing its memory."""
    dense = tensor
    if not (tensor.is_cpu and tensor.is_contiguous()) or tensor.is_conj() or tensor.is_neg():
        dense = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    size = dense.numel() * dense.element_size()
    address = dense.data_ptr()
    return bytes(ADDRESSES[address : address + size])


# The limit of NumPy 1; NumPy 2 allows 64.
_MOST_DIMENSIONS = 32


def _counts(sizes: tuple[int, ...], strides: tuple[int, ...], span: int) -> npt.NDArray[np.int64]:
    """How often each element of a block of memory occurs in a tensor that starts with it."""
    counts = np.zeros(span, np.int64)
    counts[0] = 1
    for size, step in zip(sizes, strides, strict=True):
        if size == 1:
            continue
        # One row for each step, so that a running sum adds up what lies whole steps before.
        rows = math.ceil(span / step)
        padded = np.zeros(rows * step, np.int64)
        padded[:span] = counts
        sums = padded.reshape(rows, step).cumsum(axis=0)
        sums[size:] -= sums[:-size].copy()
        counts = sums.reshape(-1)[:span]
    return counts

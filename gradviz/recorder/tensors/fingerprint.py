"""Fingerprints of large tensors, which tell whether the elements in memory have changed."""

from __future__ import annotations

import hashlib

import numpy as np
import torch

from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.memory_elements import memory_array, memory_bytes, memory_elements
from gradviz.recorder.tensors.tensor_elements import is_dense

_LANES = 1021
"""Number of separate sums: a prime, so that rows of common lengths do not align with it."""

_FEW_LANES = 251
"""The same for tensors of up to `_MANY` words, whose sums would take longer to hash."""

_MANY = 1 << 16

_WORDS = ("int64", "uint8", "int16", "uint8", "int32", "uint8", "int16", "uint8")
"""The largest integers that fit, by the last three bits of both address and size."""


def fingerprint(tensor: torch.Tensor) -> bytes:
    """Hash of a tensor's elements; views of the same elements have the same one.

    The version counter is not enough, because NumPy and ``.data`` bypass it.

    Args:
        tensor: A strided tensor of any dtype, device and memory layout.
    """
    is_plain = tensor_compat.is_ordinary(tensor) and tensor.is_contiguous()
    flat = tensor if is_plain else _in_memory(tensor)
    width = flat.element_size()
    if not flat.is_cpu:
        return _digest(*_sums_on_device(flat, int(flat.storage_offset()) * width))
    return _digest(*_sums_in_memory(flat, flat.data_ptr() | flat.numel() * width))


def _digest(lanes: bytes, rest: bytes) -> bytes:
    # Nobody attacks it, and this is the fastest one.
    return hashlib.sha1(lanes + rest, usedforsecurity=False).digest()


def _sums_in_memory(flat: torch.Tensor, alignment: int) -> tuple[bytes, bytes]:
    """The sum of each lane of a tensor's memory, and the words left over.

    Args:
        flat: A contiguous tensor on the CPU.
        alignment: Its address and its size in bytes, combined by ``or``.
    """
    words = memory_array(flat, _WORDS[alignment & 7])
    lanes = _LANES if words.size > _MANY else _FEW_LANES
    even = words.size - words.size % lanes
    # As integers: unlike a sum of floats, theirs does not depend on the order.
    sums = np.add.reduce(words[:even].reshape(-1, lanes), axis=0, dtype=np.int64)
    return sums.tobytes(), words[even:].tobytes()


def _sums_on_device(flat: torch.Tensor, offset: int) -> tuple[bytes, bytes]:
    size = flat.numel() * flat.element_size()
    words = flat.view(getattr(torch, _WORDS[(offset | size) & 7]))
    even = words.numel() - words.numel() % _LANES
    rows, rest = words[:even].view(-1, _LANES), words[even:]
    return memory_bytes(rows.sum(0, dtype=torch.int64)), memory_bytes(rest)


def _in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """All elements in one dimension, in memory order if that needs no copy."""
    tensor = tensor.detach()
    plain = not (tensor.is_complex() or tensor.is_neg() or tensor_compat.is_zero_tensor(tensor))
    if tensor.is_contiguous() and plain:
        return tensor.view(-1)
    if tensor.is_conj():
        tensor = tensor.conj()
    if tensor.is_neg():
        tensor = tensor.resolve_neg()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    tensor = memory_elements(tensor).values
    if not is_dense(tensor):
        return tensor.contiguous().view(-1)
    return tensor.as_strided((tensor.numel(),), (1,), tensor.storage_offset())

"""Hash of all bits of a large tensor, computed many times faster than statistics."""

from __future__ import annotations

import hashlib

import numpy as np
import torch

from gradviz.recorder.snapshot import is_dense

_LANES = 1021
"""Number of separate sums: a prime, so that rows of common lengths do not align with it."""

_WORDS = ((8, torch.int64), (4, torch.int32), (2, torch.int16), (1, torch.uint8))


def fingerprint(tensor: torch.Tensor) -> bytes:
    """Hash of a tensor's elements; views of the same elements have the same one.

    The version counter is not enough, because NumPy and ``.data`` bypass it.

    Args:
        tensor: A strided tensor of any dtype, device and memory layout.
    """
    flat = _in_memory(tensor)
    width = flat.element_size()
    size, offset = flat.numel() * width, flat.storage_offset() * width
    word = next(kind for w, kind in _WORDS if offset % w == 0 and size % w == 0)
    words = flat.view(word)
    even = words.numel() - words.numel() % _LANES
    rows, rest = words[:even].view(-1, _LANES), words[even:].numpy(force=True)
    if words.is_cpu:
        # NumPy has less overhead, and most tensors are not that large.
        lanes = np.add.reduce(rows.numpy(), axis=0, dtype=np.int64)
    else:
        lanes = rows.sum(0, dtype=torch.int64).cpu().numpy()
    return hashlib.blake2b(lanes.tobytes() + rest.tobytes(), digest_size=16).digest()


def _in_memory(tensor: torch.Tensor) -> torch.Tensor:
    """All elements in one dimension, in memory order if that needs no copy."""
    tensor = tensor.detach()
    if tensor.is_contiguous() and not tensor.is_complex() and not tensor.is_neg():
        return tensor.view(-1)
    if tensor.is_conj():
        tensor = tensor.conj()
    if tensor.is_neg():
        tensor = tensor.resolve_neg()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    for dimension in reversed(range(tensor.dim())):
        if tensor.stride(dimension) == 0 and tensor.shape[dimension] > 1:
            tensor = tensor.select(dimension, 0)
    if not is_dense(tensor):
        return tensor.contiguous().view(-1)
    return tensor.as_strided((tensor.numel(),), (1,), tensor.storage_offset())

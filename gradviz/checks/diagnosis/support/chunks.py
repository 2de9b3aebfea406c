"""Element-wise tests on large matrices in chunks, without full copies and with early exit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

_ELEMENTS = 30_000
"""Chunk size: small enough for the processor's cache, and for torch not to start threads, which
would wait for each other.
"""


def iterate_chunks(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Split tensors of one shape into matching chunks."""
    if tensors[0].numel() <= _ELEMENTS:
        yield tensors
        return
    for each in _cut(tensors):
        yield from iterate_chunks(*each)


def _cut(tensors: tuple[Tensor, ...]) -> Iterator[tuple[Tensor, ...]]:
    """Split along the longest dimension."""
    shape = tensors[0].shape
    longest = max(range(len(shape)), key=shape.__getitem__)
    size = max(1, _ELEMENTS * shape[longest] // tensors[0].numel())
    yield from zip(*(each.split(size, longest) for each in tensors), strict=True)


def mask_of(test: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """Mask of the elements that pass an element-wise test."""
    shape = tensors[0].shape
    if tensors[0].numel() <= _ELEMENTS:
        return test(*tensors)
    longest = max(range(len(shape)), key=shape.__getitem__)
    return torch.cat([test(*each) for each in _cut(tensors)], longest)


def all_close(ours: Tensor, theirs: Tensor, *, atol: float, rtol: float) -> bool:
    """Like ``torch.allclose``, but stop at the first chunk that differs."""
    common = torch.promote_types(ours.dtype, theirs.dtype)
    return all(
        torch.allclose(one.to(common), other.to(one.device, common), atol=atol, rtol=rtol)
        for one, other in iterate_chunks(ours, theirs)
    )


def any_of(matrix: Tensor) -> bool:
    """Whether any element is nonzero."""
    return any(bool(each.any()) for (each,) in iterate_chunks(matrix))


def largest(matrix: Tensor) -> float:
    """Largest absolute value; NaN if there is a NaN, and 0 for an empty matrix."""
    if not matrix.numel():
        return 0.0
    return float(torch.stack([each.abs().max() for (each,) in iterate_chunks(matrix)]).max())


def has_many(matrix: Tensor, count: int) -> bool:
    """Whether there are at least this many distinct nonzero absolute values."""
    found = torch.empty(0, dtype=matrix.real.dtype if matrix.is_complex() else matrix.dtype)
    found = found.to(matrix.device)
    for (each,) in iterate_chunks(matrix):
        found = torch.cat([found, each[each != 0].abs().unique()]).unique()
        if len(found) >= count:
            return True
    return False


def along(measure: Callable[..., Tensor], across: int, *matrices: Tensor) -> Tensor:
    """Compute one value per row, or per column if ``across`` is 0, as a vector.

    Args:
        measure: Takes some rows or columns of each matrix, and returns one value for each.
        across: The dimension that is reduced.
        matrices: Matrices of one shape.
    """
    kept = 1 - across
    size = max(1, _ELEMENTS // max(1, matrices[0].shape[across]))
    cut = zip(*(each.split(size, kept) for each in matrices), strict=True)
    return torch.cat([measure(*each) for each in cut])

"""Goes through large matrices in portions: no copies of the whole, and no further than needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

_ELEMENTS = 30_000
"""Few enough for the processor's cache, and too few for torch to divide among threads, which
would wait for each other."""


def portions(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """The same portions of tensors of one shape."""
    if tensors[0].numel() <= _ELEMENTS:
        yield tensors
        return
    for each in _cut(tensors):
        yield from portions(*each)


def _cut(tensors: tuple[Tensor, ...]) -> Iterator[tuple[Tensor, ...]]:
    """Along their longest dimension."""
    shape = tensors[0].shape
    longest = max(range(len(shape)), key=shape.__getitem__)
    size = max(1, _ELEMENTS * shape[longest] // tensors[0].numel())
    yield from zip(*(each.split(size, longest) for each in tensors), strict=True)


def mask_of(test: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """Which elements pass a test that looks at each of them alone."""
    shape = tensors[0].shape
    if tensors[0].numel() <= _ELEMENTS:
        return test(*tensors)
    longest = max(range(len(shape)), key=shape.__getitem__)
    return torch.cat([test(*each) for each in _cut(tensors)], longest)


def all_close(ours: Tensor, theirs: Tensor, *, atol: float, rtol: float) -> bool:
    """As ``torch.allclose``, but it ends with the first portion that is not."""
    common = torch.promote_types(ours.dtype, theirs.dtype)
    return all(
        torch.allclose(one.to(common), other.to(one.device, common), atol=atol, rtol=rtol)
        for one, other in portions(ours, theirs)
    )


def any_of(matrix: Tensor) -> bool:
    """Whether anything is not zero."""
    return any(bool(each.any()) for (each,) in portions(matrix))


def largest(matrix: Tensor) -> float:
    """The largest size of a number; NaN where there is one, and 0 for none."""
    if not matrix.numel():
        return 0.0
    return float(torch.stack([each.abs().max() for (each,) in portions(matrix)]).max())


def has_many(matrix: Tensor, count: int) -> bool:
    """Whether at least so many numbers other than zero have different sizes."""
    found = torch.empty(0, dtype=matrix.real.dtype if matrix.is_complex() else matrix.dtype)
    found = found.to(matrix.device)
    for (each,) in portions(matrix):
        found = torch.cat([found, each[each != 0].abs().unique()]).unique()
        if len(found) >= count:
            return True
    return False


def along(measure: Callable[..., Tensor], across: int, *matrices: Tensor) -> Tensor:
    """What is measured of each row, or with ``across`` 0 of each column, in one vector.

    Args:
        measure: Takes some rows or columns of each matrix, and gives a number for each of them.
        across: The dimension over which it measures.
        matrices: Of one shape.
    """
    kept = 1 - across
    size = max(1, _ELEMENTS // max(1, matrices[0].shape[across]))
    cut = zip(*(each.split(size, kept) for each in matrices), strict=True)
    return torch.cat([measure(*each) for each in cut])

"""Fast allocation of matrices, and their conversion to trace values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from gradviz.model.tensor import NUMPY_DTYPES, TensorValue


def new_matrix(rows: int, columns: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """An uninitialized matrix.

    Large matrices dominate a check's memory. NumPy requests large pages from the system, torch does
    not, and first touching 50 MB in small pages takes as long as a hundred evaluations.
    """
    numpy_name = NUMPY_DTYPES.get(str(dtype).removeprefix("torch."))
    if device.type != "cpu" or numpy_name is None:
        return torch.empty((rows, columns), dtype=dtype, device=device)
    return torch.from_numpy(np.empty((rows, columns), dtype=numpy_name))


_BLOCK_ROWS = 64
"""Rows that are viewed at a time."""


def row_views(matrix: Tensor, shape: Sequence[int]) -> Iterator[Tensor]:
    """Each row of a matrix, viewed in a shape with as many elements.

    Not all at once: thousands of tensors alive would start Python's garbage collector.
    """
    for start in range(0, len(matrix), _BLOCK_ROWS):
        block = matrix[start : start + _BLOCK_ROWS]
        yield from block.view(len(block), *shape).unbind()


def matrix_value(matrix: Tensor) -> TensorValue:
    """The elements of a tensor in row-major order, bit for bit.

    Not copied if the tensor has them in that order, so it must not be written any more.
    """
    flat = matrix.detach().to("cpu").contiguous().resolve_conj().view(-1)
    return TensorValue(
        dtype=str(matrix.dtype).removeprefix("torch."),
        shape=tuple(matrix.shape),
        # SQLite takes the address of an empty tensor, which is 0, for NULL.
        data=flat.view(torch.uint8).numpy().data.toreadonly() if len(flat) else b"",
    )

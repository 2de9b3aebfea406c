"""Fast allocation of matrices, and their conversion to trace values."""

from __future__ import annotations

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


_PADDING = 8
"""Unused elements after each row.

Without them, rows whose length is a power of two would compete for the same cache lines.
"""

_BLOCK_ROWS = 64
"""Number of rows that are transposed at a time."""


def new_rows(rows: int, columns: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """An uninitialized matrix with unused memory after each row, which is faster to transpose."""
    return new_matrix(rows, columns + _PADDING, dtype, device)[:, :columns]


def transposed(matrix: Tensor) -> Tensor:
    """A contiguous copy of a matrix's transpose."""
    rows, columns = matrix.shape
    result = new_matrix(columns, rows, matrix.dtype, matrix.device)
    for start in range(0, rows, _BLOCK_ROWS):
        stop = start + _BLOCK_ROWS
        result[:, start:stop].copy_(matrix[start:stop].t())
    return result


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

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


def transposed(matrix: Tensor) -> Tensor:
    """A contiguous copy of a matrix's transpose."""
    rows, columns = matrix.shape
    return new_matrix(columns, rows, matrix.dtype, matrix.device).copy_(matrix.t())


def byte_view(tensor: Tensor) -> Tensor:
    """The bytes of a dense tensor's elements in row-major order, uint8 ``[bytes]``.

    Not copied if the tensor has them in that order.
    """
    dense = tensor.resolve_conj().resolve_neg().contiguous()
    # A dimension of size 1 may have any stride, also in a contiguous tensor, and `view` would keep
    # it, for which torch refuses another dtype.
    return dense.as_strided((dense.numel(),), (1,)).view(torch.uint8)


def matrix_value(matrix: Tensor) -> TensorValue:
    """The elements of a tensor in row-major order, bit for bit.

    Not copied if the tensor has them in that order, so it must not be written any more.
    """
    found = byte_view(matrix.detach().to("cpu"))
    return TensorValue(
        dtype=str(matrix.dtype).removeprefix("torch."),
        shape=tuple(matrix.shape),
        # SQLite takes the address of an empty tensor, which is 0, for NULL.
        data=found.numpy().data.toreadonly() if len(found) else b"",
    )

"""Fast allocation of matrices, and their conversion to trace values."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from gradviz.model.tensor import NUMPY_DTYPES, TensorValue


def new_matrix(like: Tensor, rows: int, columns: int, dtype: torch.dtype | None = None) -> Tensor:
    """An uninitialized matrix on the device of ``like``, in its dtype unless one is given.

    Large matrices dominate a check's memory. NumPy requests large pages from the system, torch does
    not, and first touching 50 MB in small pages takes as long as a hundred evaluations.
    """
    chosen = like.dtype if dtype is None else dtype
    numpy_name = NUMPY_DTYPES.get(str(chosen).removeprefix("torch."))
    if like.device.type != "cpu" or numpy_name is None:
        return torch.empty((rows, columns), dtype=chosen, device=like.device)
    return torch.from_numpy(np.empty((rows, columns), dtype=numpy_name))


def matrix_value(matrix: Tensor) -> TensorValue:
    """The elements of a tensor in row-major order, bit for bit."""
    flat = matrix.detach().to("cpu").contiguous().resolve_conj().view(-1)
    return TensorValue(
        dtype=str(matrix.dtype).removeprefix("torch."),
        shape=tuple(matrix.shape),
        data=flat.view(torch.uint8).numpy().tobytes(),
    )

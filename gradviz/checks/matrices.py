"""A matrix as bits that a trace can keep."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.model.tensor import TensorValue


def matrix_value(matrix: Tensor) -> TensorValue:
    """The elements of a tensor in row-major order, bit for bit."""
    flat = matrix.detach().to("cpu").contiguous().resolve_conj().view(-1)
    return TensorValue(
        dtype=str(matrix.dtype).removeprefix("torch."),
        shape=tuple(matrix.shape),
        data=flat.view(torch.uint8).numpy().tobytes(),
    )

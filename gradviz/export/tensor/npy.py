"""A tensor as a NumPy file, which ``numpy.load`` reads back."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gradviz.export.tensor.whole_tensor import whole_array
from gradviz.model.tensor import NUMPY_DTYPES, TensorRecord, TensorValue


def npy_dtype(record: TensorRecord) -> str:
    """Dtype in the file: the tensor's own, or float32 if numpy lacks it.

    float32 represents every value of bfloat16 and of the float8 types exactly.
    """
    return record.dtype if record.dtype in NUMPY_DTYPES else "float32"


def write_npy(path: Path, record: TensorRecord, value: TensorValue | None) -> str:
    """Write all elements and return their dtype in the file.

    Raises:
        ExportError: If not all elements were kept.
        OSError: If the file cannot be written.
    """
    array = whole_array(record, value)
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)
    return npy_dtype(record)

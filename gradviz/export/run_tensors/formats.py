"""The formats of a file of all tensors, by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.export.run_tensors.safetensors import write_tensors_safetensors
from gradviz.export.run_tensors.table import (
    MEMBER,
    ArrayTable,
    StoredForm,
    array_table,
    read_listed_value,
)
from gradviz.export.tensor.npy import npy_dtype
from gradviz.export.tensor.npz_archive import write_npz_archive
from gradviz.model.tensor import TensorRecord, TensorValues


def write_tensors_npz(path: Path, index: TraceIndex, values: TensorValues) -> ArrayTable:
    """Write all elements that the trace keeps, and the table as the member ``tensors.json``.

    bfloat16 and float8, which NumPy lacks, become float32, which represents each of their values.

    Args:
        path: The file; an existing one is replaced.
        index: The trace.
        values: Reads the elements of a tensor by id.

    Raises:
        ExportError: If there are no tensors, or the trace is closed meanwhile.
        OSError: If the file cannot be written.
    """
    table = array_table(index, values, _stored_form)
    arrays = ((name, read_listed_value(values, each).array()) for name, each in table.arrays)
    write_npz_archive(path, arrays, (MEMBER, table.text), compressed=False)
    return table


def _stored_form(record: TensorRecord) -> StoredForm:
    return npy_dtype(record), record.kept_shape


TENSOR_WRITERS: dict[str, Callable[[Path, TraceIndex, TensorValues], ArrayTable]] = {
    ".npz": write_tensors_npz,
    ".safetensors": write_tensors_safetensors,
}

"""The formats of a file of all tensors, by its suffix."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.export.errors import ExportError
from gradviz.export.run_tensors.table import (
    MEMBER,
    ArrayTable,
    StoredForm,
    array_table,
    read_listed_value,
)
from gradviz.export.tensor.npy import npy_dtype
from gradviz.export.tensor.npz_archive import write_npz_archive
from gradviz.model.tensor import ITEM_SIZES, TensorRecord

_CODES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2": "F8_E5M2",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "complex64": "C64",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint64": "U64",
    "uint32": "U32",
    "uint16": "U16",
    "uint8": "U8",
    "bool": "BOOL",
}
"""The format's names of dtypes."""

_MOST_HEADER = 100_000_000
"""Readers of the format refuse a longer header, in bytes."""


def write_tensors_safetensors(path: Path, index: TraceIndex) -> ArrayTable:
    """Write all elements that the trace keeps, bit for bit, and the table in the metadata.

    complex128, which the format lacks, becomes float64 with a last dimension of size 2.

    Args:
        path: The file; an existing one is replaced.
        index: The trace.

    Raises:
        ExportError: If there are no tensors or too many, or the trace is closed meanwhile.
        OSError: If the file cannot be written.
    """
    table = array_table(index, _real_form)
    # Readers map the file: an element must begin at a multiple of its size.
    arrays = sorted(table.arrays, key=lambda each: -ITEM_SIZES[each[1].dtype])
    header: dict[str, Any] = {"__metadata__": {MEMBER: table.text}}
    end = 0
    for name, record in arrays:
        dtype, shape = _real_form(record)
        start, end = end, end + record.kept_bytes
        header[name] = _entry(_CODES[dtype], shape, (start, end))
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > _MOST_HEADER:
        raise ExportError("export.too_many_tensors")
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, record in arrays:
            file.write(read_listed_value(index.value, record).data)
    return table


def _entry(code: str, shape: tuple[int, ...], offsets: tuple[int, int]) -> dict[str, Any]:
    return {"dtype": code, "shape": list(shape), "data_offsets": list(offsets)}


def _real_form(record: TensorRecord) -> StoredForm:
    if record.dtype == "complex128":
        return "float64", (*record.kept_shape, 2)
    return record.dtype, record.kept_shape


def write_tensors_npz(path: Path, index: TraceIndex) -> ArrayTable:
    """Write all elements that the trace keeps, and the table as the member ``tensors.json``.

    bfloat16 and float8, which NumPy lacks, become float32, which represents each of their values.

    Args:
        path: The file; an existing one is replaced.
        index: The trace.

    Raises:
        ExportError: If there are no tensors, or the trace is closed meanwhile.
        OSError: If the file cannot be written.
    """
    table = array_table(index, _stored_form)
    arrays = ((name, read_listed_value(index.value, each).array()) for name, each in table.arrays)
    write_npz_archive(path, arrays, (MEMBER, table.text), compressed=False)
    return table


def _stored_form(record: TensorRecord) -> StoredForm:
    return npy_dtype(record), record.kept_shape


TENSOR_WRITERS: dict[str, Callable[[Path, TraceIndex], ArrayTable]] = {
    ".npz": write_tensors_npz,
    ".safetensors": write_tensors_safetensors,
}

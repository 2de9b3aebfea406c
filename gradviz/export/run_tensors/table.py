"""The table of an export of tensors: which array is which tensor of the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say, say_count
from gradviz.export.errors import ExportError
from gradviz.export.run_tensors.uses import ArrayUse, array_uses
from gradviz.export.tensor.npz_archive import array_name, unique_name
from gradviz.model.codec import as_object
from gradviz.model.tensor import TensorRecord, TensorValue, TensorValues

SCHEMA = 1
MEMBER = "tensors.json"
"""Name of the table in the file."""

StoredForm = tuple[str, tuple[int, ...]]
"""Dtype, by torch's name, and shape of an array in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayTable:
    """The arrays of a file, and the table about all tensors.

    Attributes:
        arrays: Name and record of each tensor whose elements the file contains.
        text: The table as JSON.
        sampled: How many arrays are samples of their tensors.
        missing: How many tensors have no array.
    """

    arrays: tuple[tuple[str, TensorRecord], ...]
    text: str
    sampled: int
    missing: int

    def notes(self, file_name: str) -> list[str]:
        """Sentences on what a file with this name lacks; none if it has all elements."""
        counts = (("command.sampled", self.sampled), ("command.missing", self.missing))
        return [say_count(key, count, path=file_name) for key, count in counts if count]


def array_table(
    index: TraceIndex, values: TensorValues, stored_form: Callable[[TensorRecord], StoredForm]
) -> ArrayTable:
    """Name the arrays of all tensors of a trace.

    The table is ``{schema, origin, nodes, tensors}``, described by ``tensors.schema.json`` among
    the tests. It lists every tensor, those without an array too.

    Args:
        index: The trace.
        values: Reads the elements of a tensor by id; each is read once to see whether it is intact.
        stored_form: How the format stores the elements of a tensor.

    Raises:
        ExportError: If the trace has no tensors.
    """
    uses, names = array_uses(index), set[str]()
    arrays, rows = [], []
    for number in index.tensor:
        record, found = index.tensor.bare(number), uses.get(number, [])
        name = None
        if values(number) is not None:
            name = unique_name(_name(number, found), names)
            arrays.append((name, record))
        rows.append(_row(record, name, stored_form(record), found))
    if not arrays:
        raise ExportError("export.no_tensors")
    document = {
        "schema": SCHEMA,
        "origin": as_object(index.trace.origin),
        "nodes": [{"id": node.id, "name": node.name} for node in index.trace.nodes],
        "tensors": rows,
    }
    return ArrayTable(
        arrays=tuple(arrays),
        text=json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":")),
        sampled=sum(record.content == "preview" for _, record in arrays),
        missing=len(rows) - len(arrays),
    )


def read_listed_value(values: TensorValues, record: TensorRecord) -> TensorValue:
    """Read the elements of a tensor that the table lists with an array.

    Raises:
        ExportError: If they can no longer be read, because the trace was closed.
    """
    value = values(record.id)
    if value is None:
        raise ExportError("export.closed")
    return value


def _name(number: int, uses: list[ArrayUse]) -> str:
    """A name made from the first use, such as ``step5.returned.weight``."""
    if not uses:
        return f"tensor{number}"
    use = uses[0]
    place = f"step{use.place.replace('/', '.')}." if use.place else ""
    return f"{place}{use.role}.{array_name(use.name)}"


def _row(
    record: TensorRecord, name: str | None, stored: StoredForm, uses: list[ArrayUse]
) -> dict[str, Any]:
    is_damaged = name is None and record.content in ("whole", "preview")
    return {
        "array": name,
        "stored_dtype": None if name is None else stored[0],
        "stored_shape": None if name is None else list(stored[1]),
        "tensor": record.id,
        "dtype": record.dtype,
        "shape": list(record.shape),
        "content": record.content,
        # Element [i, j] of a sample is element [i * step0, j * step1] of the tensor.
        "steps": list(record.kept_steps) if record.content == "preview" else None,
        "note": say("tensors.damaged") if is_damaged else record.note,
        "device": record.device,
        "layout": record.layout,
        "requires_grad": record.requires_grad,
        "storage": record.storage,
        "version": record.version,
        "uses": [as_object(use) for use in uses],
    }

"""The table of an export of tensors: which array is which tensor of the run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from gradviz.analysis.compare.item_pairs import items_of_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.messages import say, say_count
from gradviz.export.check.npz import matrix_keys
from gradviz.export.errors import ExportError
from gradviz.export.tensor.npz_archive import array_name, unique_name
from gradviz.model.codec import as_object
from gradviz.model.inside import StageRecord
from gradviz.model.item import Item
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord, TensorValue, TensorValues

SCHEMA = 1
MEMBER = "tensors.json"
"""Name of the table in the file."""

StoredForm = tuple[str, tuple[int, ...]]
"""Dtype, by torch's name, and shape of an array in the file."""


class ArrayUse(Struct, frozen=True, kw_only=True):
    """One use of a tensor.

    Attributes:
        place: Path of the position, such as ``5`` or ``5/backward/op2``; empty outside of steps.
        node: Node that uses it; None for none.
        role: Its role, such as ``saved``, ``incoming``, ``returned`` or ``total``.
        slot: Index among the values with that role, None values included.
        name: Its name there.
    """

    place: str
    node: int | None
    role: str
    slot: int
    name: str


FoundUse = tuple[int, ArrayUse]


def uses_by_tensor(index: TraceIndex) -> dict[int, list[ArrayUse]]:
    """The uses of each tensor, by its number.

    All uses by steps and nodes are listed. A tensor that has none is listed once, where an op or a
    source line first uses it: a run has too many of these to list all.
    """
    found: dict[int, list[ArrayUse]] = {}
    for tensor, use in _uses_of_nodes(index):
        found.setdefault(tensor, []).append(use)
    inner: dict[int, list[ArrayUse]] = {}
    for tensor, use in _inner_uses(index):
        inner.setdefault(tensor, [use])
    return inner | found


def _uses_of_nodes(index: TraceIndex) -> Iterator[FoundUse]:
    for step in index.trace.steps:
        yield from _uses_of_step(index, step)
    for node, slots in index.saved.items():
        place = str(index.made_at.get(node, ""))
        yield from _uses(place, node, (("saved", slot.item) for slot in slots))
    for call in index.trace.calls:
        place = "" if call.node is None else str(index.made_at.get(call.node, ""))
        yield from _uses(place, call.node, (("attribute", item) for item in call.attributes))
    for each in index.trace.nodes:
        if each.variable is not None:
            role = "leaf"
            use = ArrayUse(place="", node=each.id, role=role, slot=0, name=each.variable_name)
            yield each.variable, use
    for number, report in enumerate(index.trace.reports, 1):
        for key, matrix in matrix_keys(report):
            use = ArrayUse(place="", node=None, role=f"check{number}", slot=0, name=key)
            yield matrix, use


def _uses_of_step(index: TraceIndex, step: Step) -> Iterator[FoundUse]:
    # Saved values are listed with the node of each.
    items = [(role, item) for role, item in items_of_step(index, step) if role != "saved"]
    yield from _uses(str(step.number), getattr(step, "node", None), items)


def _inner_uses(index: TraceIndex) -> Iterator[FoundUse]:
    for inside in index.trace.insides:
        for part in inside.parts:
            place = TracePosition(step=inside.id, stage=part.stage)
            yield from _uses_in_stage(part, place)


def _uses_in_stage(part: StageRecord, place: TracePosition) -> Iterator[FoundUse]:
    stage = position_path(place)
    for frame in part.frames:
        yield from _uses(stage, None, (("argument", item) for item in frame.arguments))
    for at, op in enumerate(part.ops, 1):
        items = [("input", item) for item in op.inputs] + [("output", item) for item in op.outputs]
        yield from _uses(f"{stage}/op{at}", None, items)
    for at, line in enumerate(part.lines, 1):
        items = [("local", item) for item in line.changes]
        items += [] if line.result is None else [("value", line.result)]
        yield from _uses(f"{stage}/line{at}", None, items)


def _uses(place: str, node: int | None, items: Iterable[tuple[str, Item]]) -> Iterator[FoundUse]:
    slots: Counter[str] = Counter()
    for role, item in items:
        if item.tensor is not None:
            slot = slots[role]
            yield (
                item.tensor,
                ArrayUse(place=place, node=node, role=role, slot=slot, name=item.name),
            )
        slots[role] += 1


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


def array_table(index: TraceIndex, stored_form: Callable[[TensorRecord], StoredForm]) -> ArrayTable:
    """Name the arrays of all tensors of a trace.

    The table is ``{schema, origin, nodes, tensors}``, described by ``tensors.schema.json`` among
    the tests. It lists every tensor, those without an array too.

    Args:
        index: The trace.
        stored_form: How the format stores the elements of a tensor.

    Raises:
        ExportError: If the trace has no tensors.
    """
    uses, names = uses_by_tensor(index), set[str]()
    arrays, rows = [], []
    for number in index.tensor:
        record, found = index.tensor.bare(number), uses.get(number, [])
        name = None
        if index.value(number) is not None:
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

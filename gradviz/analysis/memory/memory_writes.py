"""Writes to the memory of tensors: by ops, by in-place functions, and to ``.grad``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, Step

WriteKind = Literal["op", "call", "dirty", "accumulate"]
"""``op``: an aten op; ``call``: a function whose name says so, if no ops were recorded; ``dirty``:
a custom Function that calls ``mark_dirty``; ``accumulate``: the engine, which adds to ``.grad``.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWrite:
    """One write to the memory of a tensor.

    Attributes:
        place: Place in the run.
        kind: What wrote.
        name: Name of the op, function or node.
        before: Tensor before the write.
        after: First tensor recorded after the write; None if none was.
    """

    place: TracePosition
    kind: WriteKind
    name: str
    before: int
    after: int | None


def memory_writes(
    index: TraceIndex, storage: int, cancelled: Callable[[], bool] = bool
) -> tuple[MemoryWrite, ...]:
    """The writes to one storage, in order of the run.

    Args:
        index: The trace.
        storage: Number of the storage.
        cancelled: Called from time to time; if it returns True, the result is empty.
    """
    found: list[MemoryWrite] = []
    total: Item | None = None
    for step in index.trace.steps:
        if step.number % 1000 == 0 and cancelled():
            return ()
        ops = list(_by_ops(index, step.number, storage))
        found += ops
        if isinstance(step, ForwardStep):
            found += _by_call(index, step, storage, has_op_writes=bool(ops))
        elif isinstance(step, AccumulateStep):
            # Each pass may have a different node, but the memory is the same.
            before, total = total, step.total if _lies_in(index, step.total, storage) else total
            written = _pair(index, before, step.total, storage)
            if written is not None and not ops:
                name = index.node[step.node].name
                found.append(_write(TracePosition(step=step.number), "accumulate", name, *written))
    return tuple(found)


def _by_ops(index: TraceIndex, number: int, storage: int) -> Iterator[MemoryWrite]:
    inside = index.inside.get(number)
    for part in () if inside is None else inside.parts:
        for at, op in enumerate(part.ops):
            for each in op.writes:
                given = op.inputs[each] if each < len(op.inputs) else None
                if given is None or not _lies_in(index, given, storage):
                    continue
                after = next(
                    (item.tensor for item in op.outputs if _lies_in(index, item, storage)), None
                )
                assert given.tensor is not None
                place = TracePosition(step=number, stage=part.stage, line=op.line, op=at)
                yield _write(place, "op", op.name, given.tensor, after)


def _by_call(
    index: TraceIndex, step: ForwardStep, storage: int, *, has_op_writes: bool
) -> Iterator[MemoryWrite]:
    call = None if step.call is None else index.call.get(step.call)
    dirty = () if call is None else call.dirty
    for at in dirty:
        given = step.inputs[at] if at < len(step.inputs) else None
        for output in step.outputs:
            written = _pair(index, given, output, storage)
            if written is not None:
                yield _write(TracePosition(step=step.number), "dirty", step.op, *written)
                break
    if call is None and not has_op_writes and _writes(step) and step.inputs and step.outputs:
        written = _pair(index, step.inputs[0], step.outputs[0], storage)
        if written is not None:
            yield _write(TracePosition(step=step.number), "call", step.op, *written)


def _writes(step: Step) -> bool:
    """Whether a torch function writes to its first argument, judging by its name."""
    name = step.op if isinstance(step, ForwardStep) else ""
    if name.startswith("__i") and name.endswith("__"):
        return True
    # By torch's convention `add_` works in place, while `__add__` does not.
    return name.endswith("_") and not name.endswith("__")


def _pair(index: TraceIndex, one: Item | None, other: Item, storage: int) -> tuple[int, int] | None:
    """The tensors of two items, if both use a storage and are different tensors."""
    if one is None or not _lies_in(index, one, storage) or not _lies_in(index, other, storage):
        return None
    if one.tensor is None or other.tensor is None or one.tensor == other.tensor:
        return None
    return one.tensor, other.tensor


def _lies_in(index: TraceIndex, item: Item, storage: int) -> bool:
    return item.tensor is not None and index.tensor.bare(item.tensor).storage == storage


def _write(
    place: TracePosition, kind: WriteKind, name: str, before: int, after: int | None
) -> MemoryWrite:
    return MemoryWrite(place=place, kind=kind, name=name, before=before, after=after)

"""Writes to the memory of tensors: by ops, in-place functions, optimizers, and to ``.grad``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, OptimizerStep

WriteKind = Literal["op", "call", "dirty", "accumulate", "optimizer"]
"""``op``: an aten op inside a step; ``call``: a torch function; ``dirty``: a custom Function that
calls ``mark_dirty``; ``accumulate``: the engine, which adds to ``.grad``; ``optimizer``: a step.
"""


class MemoryWrite(Struct, frozen=True, kw_only=True):
    """One write to the memory of a tensor.

    Attributes:
        place: Place in the run; for a write between two steps, the first of them, or 0.
        is_between: Whether it is between two steps.
        kind: What wrote.
        name: Name of the op, function, node or optimizer.
        before: Tensor before the write; None if it was not recorded.
        after: First tensor recorded after the write; None if none was.
        call: The torch function that the run called, if known.
    """

    place: TracePosition
    is_between: bool = False
    kind: WriteKind
    name: str
    before: int | None
    after: int | None
    call: InPlaceWrite | None = None

    @property
    def target(self) -> int | None:
        """A tensor that consists of what was written."""
        return self.before if self.after is None else self.after


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
    calls: dict[int, list[InPlaceWrite]] = {}
    for write in index.trace.writes:
        if _lies_in(index, write.target, storage):
            calls.setdefault(write.step or write.after_step, []).append(write)
    between = [_of_call(each) for each in calls.get(0, ())]
    # The first of all searches takes long; it leaves the others a few steps.
    numbers = {*index.written.steps_of(storage, cancelled), *calls} - {0}
    if cancelled():
        return ()
    for step in (index.trace.steps[number - 1] for number in sorted(numbers)):
        within = [each for each in calls.get(step.number, ()) if each.step is not None]
        call = within[0] if len(within) == 1 else None
        ops = [replace(each, call=call) for each in _by_ops(index, step.number, storage)]
        found += ops or map(_of_call, within)
        if isinstance(step, ForwardStep):
            found += _by_call(index, step, storage)
        elif isinstance(step, OptimizerStep):
            found += _by_optimizer(index, step, storage)
        elif isinstance(step, AccumulateStep):
            # Each pass may have a different node, but the memory is the same.
            before, total = total, step.total if _lies_in(index, step.total, storage) else total
            written = _pair(index, before, step.total, storage)
            if written is not None and not ops:
                name = index.node[step.node].name
                found.append(_write(TracePosition(step=step.number), "accumulate", name, *written))
        found += [_of_call(each) for each in calls.get(step.number, ()) if each.step is None]
    return (*between, *found)


def _of_call(write: InPlaceWrite) -> MemoryWrite:
    return MemoryWrite(
        place=TracePosition(step=write.step or write.after_step),
        is_between=write.step is None,
        kind="call",
        name=write.op,
        before=None,
        after=write.target.tensor,
        call=write,
    )


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


def _by_call(index: TraceIndex, step: ForwardStep, storage: int) -> Iterator[MemoryWrite]:
    call = None if step.call is None else index.call.get(step.call)
    for at in () if call is None else call.dirty:
        given = step.inputs[at] if at < len(step.inputs) else None
        for output in step.outputs:
            written = _pair(index, given, output, storage)
            if written is not None:
                yield _write(TracePosition(step=step.number), "dirty", step.op, *written)
                break


def _by_optimizer(index: TraceIndex, step: OptimizerStep, storage: int) -> Iterator[MemoryWrite]:
    for before, after in zip(step.before, step.after, strict=False):
        written = _pair(index, before, after, storage)
        if written is not None:
            yield _write(TracePosition(step=step.number), "optimizer", step.optimizer, *written)


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

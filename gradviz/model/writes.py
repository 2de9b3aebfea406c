"""What wrote into each memory of a run: ops, calls that say so, and the addition into ``.grad``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.places import Place
from gradviz.model.step import AccumulateStep, ForwardStep, Step

WriteKind = Literal["op", "call", "dirty", "accumulate"]
"""An aten op; a function whose name says so, where no ops were recorded; a custom Function that
calls ``mark_dirty``; the engine, which adds into ``.grad``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One write.

    Attributes:
        place: Where in the run.
        kind: What wrote.
        name: Of the op or function.
        before: The tensor as it was.
        after: The tensor as it was found first afterwards; None where that was not recorded.
    """

    place: Place
    kind: WriteKind
    name: str
    before: int
    after: int | None


def writes_of(
    index: Index, storage: int, cancelled: Callable[[], bool] = bool
) -> tuple[Write, ...]:
    """The writes into one memory, in order of the run.

    Args:
        index: The trace.
        storage: Number of the memory.
        cancelled: Asked now and then.
    """
    found: list[Write] = []
    total: Item | None = None
    for step in index.trace.steps:
        if step.number % 1000 == 0 and cancelled():
            return ()
        ops = list(_by_ops(index, step.number, storage))
        found += ops
        if isinstance(step, ForwardStep):
            found += _by_call(index, step, storage, told=bool(ops))
        elif isinstance(step, AccumulateStep):
            # The node may be another one in each pass; the memory is the same.
            before, total = total, step.total if _lies_in(index, step.total, storage) else total
            written = _pair(index, before, step.total, storage)
            if written is not None and not ops:
                name = index.node[step.node].name
                found.append(_write(Place(step=step.number), "accumulate", name, *written))
    return tuple(found)


def _by_ops(index: Index, number: int, storage: int) -> Iterator[Write]:
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
                place = Place(step=number, stage=part.stage, line=op.line, op=at)
                yield _write(place, "op", op.name, given.tensor, after)


def _by_call(index: Index, step: ForwardStep, storage: int, *, told: bool) -> Iterator[Write]:
    call = None if step.call is None else index.call.get(step.call)
    dirty = () if call is None else call.dirty
    for at in dirty:
        given = step.inputs[at] if at < len(step.inputs) else None
        for output in step.outputs:
            written = _pair(index, given, output, storage)
            if written is not None:
                yield _write(Place(step=step.number), "dirty", step.op, *written)
                break
    if call is None and not told and _writes(step) and step.inputs and step.outputs:
        written = _pair(index, step.inputs[0], step.outputs[0], storage)
        if written is not None:
            yield _write(Place(step=step.number), "call", step.op, *written)


def _writes(step: Step) -> bool:
    """Whether a function of torch writes into its first argument, by its name."""
    name = step.op if isinstance(step, ForwardStep) else ""
    if name.startswith("__i") and name.endswith("__"):
        return True
    return name.endswith("_") and not name.endswith("__")


def _pair(index: Index, one: Item | None, other: Item, storage: int) -> tuple[int, int] | None:
    """The tensors of two items that lie in a memory, and are not one."""
    if one is None or not _lies_in(index, one, storage) or not _lies_in(index, other, storage):
        return None
    if one.tensor is None or other.tensor is None or one.tensor == other.tensor:
        return None
    return one.tensor, other.tensor


def _lies_in(index: Index, item: Item, storage: int) -> bool:
    return item.tensor is not None and index.tensor.bare(item.tensor).storage == storage


def _write(place: Place, kind: WriteKind, name: str, before: int, after: int | None) -> Write:
    return Write(place=place, kind=kind, name=name, before=before, after=after)

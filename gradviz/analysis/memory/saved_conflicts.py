"""Saved tensors that were changed before backward used them, and what changed them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from gradviz.analysis.index.step_queries import pass_at, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_regions import elements_differ, layout_of, overlaps
from gradviz.analysis.memory.memory_writes import MemoryWrite, memory_writes
from gradviz.analysis.memory.version_error import fits_error, is_about_versions
from gradviz.model.graph import SavedSlot
from gradviz.model.source import Location
from gradviz.model.step import ErrorStep, ForwardStep, PassBeginStep
from gradviz.model.tensor import TensorRecord


class SavedTensorConflict(Struct, frozen=True, kw_only=True):
    """A saved value that was changed before backward used it.

    Attributes:
        slot: The saved value.
        write: The first write after saving that changed its elements; without one, the first that
            moved torch's version counter, which all views of a tensor share. None if what wrote was
            not recorded.
        is_changed: Whether its elements were changed; False if they are known to be the same.
        counted: False if torch's version counter did not show it, so that torch did not raise.
        after: Last line that found it unchanged; None if unknown.
        before: First line that found it changed; None if unknown.
    """

    slot: SavedSlot
    write: MemoryWrite | None
    is_changed: bool
    counted: bool
    after: Location | None
    before: Location | None


def conflicts_of_error(
    index: TraceIndex, error: ErrorStep, cancelled: Callable[[], bool] = bool
) -> tuple[SavedTensorConflict, ...]:
    """The saved values that were changed and caused torch's error on in-place operations.

    Args:
        index: The trace.
        error: An exception of the run; for any other error, the result is empty.
        cancelled: Called from time to time to stop early.
    """
    if not is_about_versions(error.message) or error.node is None:
        return ()
    return conflicts_at_node(index, error.node, error.message, error.number, cancelled)


def conflicts_at_node(
    index: TraceIndex,
    node: int,
    message: str,
    until: int,
    cancelled: Callable[[], bool] = bool,
) -> tuple[SavedTensorConflict, ...]:
    """The values that a node saved and that were changed before torch refused to execute it.

    Args:
        index: The trace.
        node: The node.
        message: Torch's error.
        until: Number of the step in which torch raised.
        cancelled: Called from time to time to stop early.
    """
    slots = [each for each in index.saved.get(node, ()) if each.item.tensor is not None]
    fitting = [
        each for each in slots if fits_error(index.tensor.bare(each.item.tensor or 0), message)
    ]
    found = [_conflict(index, each, until, None, cancelled) for each in fitting or slots]
    known = [each for each in found if each.write is not None]
    changed = [each for each in known if each.is_changed]
    # Torch stops at the first, so the others may be unchanged.
    if known and not changed:
        changed = _changed_elsewhere(index, known[0], until, cancelled)
    return tuple(changed or known or (found if len(found) == 1 else ()))


def _changed_elsewhere(
    index: TraceIndex, clash: SavedTensorConflict, until: int, cancelled: Callable[[], bool]
) -> list[SavedTensorConflict]:
    """A value of the same memory that a later node of the pass needs and that was changed.

    Torch refuses an earlier node although its own part of the memory is as it was.
    """
    span, storage = pass_at(index, until), _storage(index, clash.slot)
    waiting = [] if span is None else [root.node for root in span.roots]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        for slot in index.saved.get(node, ()):
            if slot.item.tensor is not None and _storage(index, slot) == storage:
                other = _conflict(index, slot, until, None, cancelled)
                if other.write is not None and other.is_changed:
                    return [other]
        targets = {edge.target for edge in index.leaving.get(node, ())} - seen
        seen |= targets
        waiting += targets
    return []


def _storage(index: TraceIndex, slot: SavedSlot) -> int | None:
    return index.tensor.bare(slot.item.tensor or 0).storage


def silent_conflict(
    index: TraceIndex, slot: SavedSlot, used: int, until: int
) -> SavedTensorConflict | None:
    """A value that a node used in another state than it had saved; None if they are equal.

    Args:
        index: The trace.
        slot: The value as it was saved.
        used: Number of the tensor as it was used.
        until: Number of the step that used it.
    """
    saved, now = index.tensor.bare(slot.item.tensor or 0), index.tensor.bare(used)
    if saved.storage == now.storage:
        differ = elements_differ(index, saved, now)
    else:
        # Another memory, as after `x.data = y`.
        values = index.value(saved.id), index.value(now.id)
        differ = None if None in values else values[0] != values[1]
    return _conflict(index, slot, until, now, bool) if differ else None


def _conflict(
    index: TraceIndex,
    slot: SavedSlot,
    until: int,
    used: TensorRecord | None,
    cancelled: Callable[[], bool],
) -> SavedTensorConflict:
    saved = index.tensor.bare(slot.item.tensor or 0)
    both = [each.storage for each in (saved, used) if each is not None]
    writes = [
        write
        for storage in dict.fromkeys(both)
        if storage is not None
        for write in memory_writes(index, storage, cancelled)
        if write.place.step < until and follows(index, write, slot)
    ]
    write = _changing_write(index, saved, used, writes)
    is_changed = write is not None or used is not None
    if used is None and write is None:
        write = _counted_write(index, saved, writes)
    between = (None, None) if write is not None else _between(index, slot, saved, until)
    return SavedTensorConflict(
        slot=slot,
        write=write,
        is_changed=is_changed,
        counted=used is None,
        after=between[0],
        before=between[1],
    )


def follows(index: TraceIndex, write: MemoryWrite, slot: SavedSlot) -> bool:
    """Whether a write came after a value was saved."""
    if write.call is not None:
        return slot.id <= write.call.after_saved
    return index.made_at.get(slot.node, 0) < write.place.step


def changes(index: TraceIndex, write: MemoryWrite, tensor: TensorRecord) -> bool:
    """Whether a write after a tensor was recorded changed its elements, as far as known."""
    target = index.tensor.bare(write.target or 0)
    return overlaps(tensor, target) and elements_differ(index, tensor, target) is not False


def _changing_write(
    index: TraceIndex,
    saved: TensorRecord,
    used: TensorRecord | None,
    writes: Sequence[MemoryWrite],
) -> MemoryWrite | None:
    for write in writes:
        moved = used is not None and used.storage != saved.storage
        target = index.tensor.bare(write.target or 0)
        if changes(index, write, saved) or (moved and used is not None and overlaps(used, target)):
            return write
    return None


def _counted_write(
    index: TraceIndex, saved: TensorRecord, writes: Sequence[MemoryWrite]
) -> MemoryWrite | None:
    """The first write that may have moved the counter of a tensor without changing it."""
    for write in writes:
        version = index.tensor.bare(write.target or 0).version
        if write.call is not None and not write.call.counted:
            continue
        if version is not None and saved.version is not None and version > saved.version:
            return write
    return None


def _between(
    index: TraceIndex, slot: SavedSlot, saved: TensorRecord, until: int
) -> tuple[Location | None, Location | None]:
    """The last line with a tensor as it was saved, and the first with another state of it."""
    first = index.made_at.get(slot.node, 1)
    after: Location | None = None
    for step in index.trace.steps[first - 1 : until - 1]:
        if not isinstance(step, ForwardStep) or step.location is None:
            continue
        for item in (*step.inputs, *step.outputs):
            if item.tensor is None:
                continue
            record = index.tensor.bare(item.tensor)
            if record.id == saved.id:
                after = step.location
            elif record.id > saved.id and _is_later(index, saved, record):
                return after, step.location
    return after, _pass_location(index, until)


def _is_later(index: TraceIndex, saved: TensorRecord, record: TensorRecord) -> bool:
    if record.storage != saved.storage or layout_of(record) != layout_of(saved):
        return False
    return record.version != saved.version or bool(elements_differ(index, saved, record))


def _pass_location(index: TraceIndex, number: int) -> Location | None:
    """The line that started the pass of a step; None if unknown."""
    step = step_at(index, number)
    wanted = None if step is None else step.pass_id
    for earlier in range(number, 0, -1):
        begun = step_at(index, earlier)
        if isinstance(begun, PassBeginStep) and begun.pass_id == wanted:
            return begun.location
    return None

"""Whether a saved tensor was changed after it was saved, answered quickly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_regions import elements_differ, overlaps
from gradviz.analysis.memory.memory_writes import memory_writes
from gradviz.analysis.memory.saved_conflicts import changes, follows
from gradviz.analysis.provenance.tensor_lineage import tensors_in
from gradviz.model.graph import SavedSlot
from gradviz.model.tensor import TensorRecord

_MOST_BYTES: Final = 1 << 20
"""Larger tensors are not compared element by element, so that the window stays responsive."""

_BACK: Final = 16
"""How many steps to go back to find one that has a tensor."""


def changed_since(index: TraceIndex, slot: SavedSlot, number: int) -> bool:
    """Whether the elements of a saved tensor were changed later, up to a step.

    Args:
        index: The trace.
        slot: The saved value.
        number: Number of the step, included.
    """
    record = None if slot.item.tensor is None else index.tensor.bare(slot.item.tensor)
    if record is None or record.storage is None:
        return False
    for write in memory_writes(index, record.storage):
        happened = write.place.step + write.is_between <= number
        if happened and follows(index, write, slot) and changes(index, write, record):
            return True
    # Anything else, as NumPy, shows only in tensors that were recorded later.
    columns = index.tensors
    same = columns.ids[np.flatnonzero(columns.storages == record.storage)]
    until = _recorded_until(index, number)
    return any(
        _differ(index, record, index.tensor.bare(other))
        for other in same[(same > record.id) & (same <= until)].tolist()
    )


def _differ(index: TraceIndex, one: TensorRecord, other: TensorRecord) -> bool:
    """Whether two tensors of one storage are known to have different elements in common."""
    if not overlaps(one, other) or max(one.kept_bytes, other.kept_bytes) > _MOST_BYTES:
        return False
    return bool(elements_differ(index, one, other))


def _recorded_until(index: TraceIndex, number: int) -> int:
    """Highest tensor number at the end of a step; tensors are numbered as recorded."""
    # Some steps mention no tensor at all.
    for back in range(_BACK):
        if number - back == len(index.trace.steps):
            break
        newest = max(_tensors(index, number - back), default=None)
        if newest is not None:
            return newest
    return int(index.tensors.ids[-1]) if len(index.tensors.ids) else 0


def _tensors(index: TraceIndex, number: int) -> Iterator[int]:
    step = step_at(index, number)
    if step is not None:
        yield from tensors_in(index, step)

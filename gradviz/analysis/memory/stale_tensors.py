"""Whether a tensor's memory was changed after the tensor was recorded, answered quickly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import tensors_in
from gradviz.model.tensor import TensorRecord

_MOST_BYTES: Final = 1 << 20
"""Larger tensors are not compared element by element, so that the window stays responsive."""

_BACK: Final = 16
"""How many steps to go back to find one that has a tensor."""


def changed_since(index: TraceIndex, tensor: int, number: int) -> bool:
    """Whether a different state of a tensor's memory was recorded later, up to a step.

    Args:
        index: The trace.
        tensor: Number of the tensor.
        number: Number of the step, included.
    """
    record = index.tensor.bare(tensor)
    if record.storage is None:
        return False
    columns = index.tensors
    same = columns.ids[np.flatnonzero(columns.storages == record.storage)]
    until = _recorded_until(index, number)
    for other in same[(same > tensor) & (same <= until)].tolist():
        later = index.tensor.bare(other)
        if _is_counted_later(record, later) or _differ(index, record, later):
            return True
    return False


def _is_counted_later(record: TensorRecord, later: TensorRecord) -> bool:
    if record.version is None or later.version is None:
        return False
    return later.version > record.version


def _differ(index: TraceIndex, one: TensorRecord, other: TensorRecord) -> bool:
    """Whether two tensors of the same layout are known to have different elements."""
    if (one.shape, one.strides, one.dtype) != (other.shape, other.strides, other.dtype):
        return False
    if any(each.content != "whole" or each.kept_bytes > _MOST_BYTES for each in (one, other)):
        return False
    before, after = index.value(one.id), index.value(other.id)
    return before is not None and after is not None and before != after


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

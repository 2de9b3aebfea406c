"""Find tensor numbers that stand for the same tensor.

A tensor can have several numbers: before and after it required a gradient, or as recorded by an
op and by a step. They share memory, layout and bits.
"""

from __future__ import annotations

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.tensor import TensorRecord


class TensorAliases:
    """Looks up tensors that share a storage, and numbers that stand for the same tensor."""

    def __init__(self, index: TraceIndex) -> None:
        """Sort the tensors of a trace by storage."""
        self._index = index
        # Sorted, because it is used at each step of a path and a linear search is too slow.
        self._order = np.argsort(index.tensors.storages, kind="stable")
        self._storages = index.tensors.storages[self._order]

    def tensors_in_memory(self, storage: int) -> list[int]:
        """The tensors that share a storage, ascending."""
        first, end = np.searchsorted(self._storages, (storage, storage + 1)).tolist()
        numbers: list[int] = self._index.tensors.ids[self._order[first:end]].tolist()
        return numbers

    def of(self, tensor: int) -> tuple[int, ...]:
        """All numbers of the same tensor in the trace, with this one first."""
        record = self._index.tensor.bare(tensor)
        if record.storage is None:
            return (tensor,)
        others = [each for each in self.tensors_in_memory(record.storage) if each != tensor]
        return (tensor, *[other for other in others if self._is_equal(record, other)])

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two tensors have equal elements, all stored, regardless of their memory."""
        first, second = self._index.tensor.bare(one), self._index.tensor.bare(other)
        if (first.shape, first.dtype) != (second.shape, second.dtype):
            return False
        if first.content != "whole" or second.content != "whole":
            return False
        value = self._index.value(one)
        return value is not None and value == self._index.value(other)

    def _is_equal(self, record: TensorRecord, other: int) -> bool:
        """Whether two tensors of one storage have the same layout and stored contents."""
        index, candidate = self._index, self._index.tensor.bare(other)
        if (candidate.shape, candidate.strides, candidate.dtype, candidate.content) != (
            record.shape,
            record.strides,
            record.dtype,
            record.content,
        ):
            return False
        if record.content != "whole" and (
            record.statistics is None or record.statistics != candidate.statistics
        ):
            return False
        if record.content == "statistics":
            return True
        value = None if record.content == "metadata" else index.value(record.id)
        return value is not None and value == index.value(other)

"""The numbers under which one tensor stands in a trace.

They are several: before and after it required a gradient, or as seen by an op and by a step. They
share memory, layout and bits.
"""

from __future__ import annotations

import numpy as np

from gradviz.model.index import Index
from gradviz.model.tensor import TensorRecord


class Twins:
    """Look-up of the tensors that lie in one memory, and of those that are one."""

    def __init__(self, index: Index) -> None:
        """Takes a trace."""
        self._index = index
        # Looked up at each step of a way: to go through all tensors each time would be too slow.
        self._order = np.argsort(index.tensors.storages, kind="stable")
        self._storages = index.tensors.storages[self._order]

    def sharing(self, storage: int) -> list[int]:
        """The tensors that lie in a memory, ascending."""
        first, end = np.searchsorted(self._storages, (storage, storage + 1)).tolist()
        numbers: list[int] = self._index.tensors.ids[self._order[first:end]].tolist()
        return numbers

    def of(self, tensor: int) -> tuple[int, ...]:
        """The numbers under which this very tensor stands in the trace; itself first."""
        record = self._index.tensor.bare(tensor)
        if record.storage is None:
            return (tensor,)
        others = [each for each in self.sharing(record.storage) if each != tensor]
        return (tensor, *[other for other in others if self._is_twin(record, other)])

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two tensors, wherever they lie, have the same elements, and all were kept."""
        first, second = self._index.tensor.bare(one), self._index.tensor.bare(other)
        if (first.shape, first.dtype) != (second.shape, second.dtype):
            return False
        if first.content != "whole" or second.content != "whole":
            return False
        value = self._index.value(one)
        return value is not None and value == self._index.value(other)

    def _is_twin(self, record: TensorRecord, other: int) -> bool:
        """Whether two tensors of one memory lie alike and hold the same, as far as was kept."""
        index, twin = self._index, self._index.tensor.bare(other)
        if (twin.shape, twin.strides, twin.dtype, twin.content) != (
            record.shape,
            record.strides,
            record.dtype,
            record.content,
        ):
            return False
        if record.content != "whole" and (
            record.statistics is None or record.statistics != twin.statistics
        ):
            return False
        if record.content == "statistics":
            return True
        value = None if record.content == "metadata" else index.value(record.id)
        return value is not None and value == index.value(other)

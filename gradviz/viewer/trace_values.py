"""Reads the tensor elements of a trace and caches the most recently used ones."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.tensor import TensorValue
from gradviz.model.trace import Trace

CACHED_BYTES = 64 * 1024 * 1024
"""Size of the cache, in bytes."""

MOST_AT_ONCE = 1024 * 1024
"""Largest tensor in bytes to read in the GUI thread; larger ones load in the background."""


class TraceReaderProtocol(Protocol):
    """Interface of an open trace; `gradviz.store.reader.TraceReader` implements it."""

    @property
    def is_closed(self) -> bool:
        """Whether it has been closed."""

    def trace(self) -> Trace:
        """Return everything except the elements of tensors."""

    def value(self, tensor_id: int) -> TensorValue | None:
        """Return the stored elements of a tensor; None if none were stored."""


class TraceValues:
    """The elements of the tensors of a trace; the most recently used ones stay in memory.

    Attributes:
        reader: Reads them; None without a trace. It can be replaced by one of the same trace.
    """

    def __init__(self, reader: TraceReaderProtocol | None, most_bytes: int = CACHED_BYTES) -> None:
        self.reader = reader
        self._most = most_bytes
        self._held = 0
        self._values: OrderedDict[int, TensorValue | None] = OrderedDict()

    def get(self, tensor_id: int) -> TensorValue | None:
        """Return the elements of a tensor; None if none were stored. It blocks while reading."""
        if self.reader is None:
            return None
        if tensor_id not in self._values:
            value = self.reader.value(tensor_id)
            self._values[tensor_id] = value
            self._held += _size(value)
            while self._held > self._most and len(self._values) > 1:
                self._held -= _size(self._values.popitem(last=False)[1])
            return value
        self._values.move_to_end(tensor_id)
        return self._values[tensor_id]


def limit_computing(index: TraceIndex | None) -> None:
    """Make an index compute statistics only of tensors that are read in the GUI thread."""
    if index is not None:
        index.tensor.set_compute_limit(MOST_AT_ONCE)


def _size(value: TensorValue | None) -> int:
    return 0 if value is None else len(value.data)

"""Samples and statistics of tensors in the memory that a run shares, for its rows."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap

import msgspec
import numpy as np
from msgspec.structs import replace

from gradviz.model.codec import number_from
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import NUMPY_DTYPES, TensorRecord
from gradviz.model.tensor_memory import sampler, statistics_of_memory
from gradviz.store.packed_rows import SharedCopy, join_rows, pack_rows

_unpack = msgspec.msgpack.Decoder(
    list[list[tuple[str, int, msgspec.Raw, bytes | SharedCopy | None]]]
).decode
_unpack_tensor = msgspec.msgpack.Decoder(TensorRecord, dec_hook=number_from).decode


class SharedTensors:
    """The side of the process that writes the trace; see `gradviz.store.shared_memory`."""

    def __init__(self, descriptor: int) -> None:
        """Find the memory.

        Args:
            descriptor: Its descriptor, which the caller may close then.

        Raises:
            OSError: If the system refuses.
        """
        self._memory = mmap(descriptor, 0, access=ACCESS_READ)
        self._statistics: dict[tuple[SharedCopy, str], Statistics] = {}

    def complete(self, rows: bytes) -> bytes:
        """The same packed rows, which do not refer to the memory any more."""
        # Rows of one message may refer to the same copy; later ones to another one in its place.
        self._statistics.clear()
        return join_rows(
            [pack_rows([self._complete(*row) for row in put]) for put in _unpack(rows)]
        )

    def _complete(
        self, table: str, number: int, row: msgspec.Raw, data: bytes | SharedCopy | None
    ) -> tuple[str, int, msgspec.Raw | TensorRecord, bytes | None]:
        if not isinstance(data, SharedCopy):
            return table, number, row, data
        record = _unpack_tensor(row)
        memory = memoryview(self._memory)[data.begin : data.begin + data.size]
        key = (data, record.dtype)
        statistics = self._statistics.get(key)
        if statistics is None:
            elements = np.frombuffer(memory, NUMPY_DTYPES[record.dtype])
            statistics = self._statistics[key] = statistics_of_memory(elements)
        record = replace(record, statistics=statistics)
        return table, number, record, sampler(record)(memory)

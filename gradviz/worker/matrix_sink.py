"""Storage of a check's matrices in a trace, including those still being computed."""

from __future__ import annotations

import time
from collections import deque

from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.store.writer import TraceWriter

FIRST_AFTER_S = 0.7
"""Delay before the first partial results; a shorter check stores no unfinished ones."""

_EVERY_S = 0.4
_SHARE = 20
"""Storing partial results may take one part in this many of the time."""


class TraceMatrixSink:
    """A `PartialMatrixSink` that commits each matrix in its own transaction."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._last = writer.highest("tensor")
        self._free: deque[int] = deque()
        self._next = time.monotonic() + FIRST_AFTER_S
        self._begun = 0.0

    def store(self, value: TensorValue) -> int:
        """Store a matrix; returns its number in the trace."""
        return self._put(value, self._number())

    def is_due(self) -> bool:
        """Whether it is time to store partial results."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._begun = now
        return True

    def keep(self, value: TensorValue, number: int | None) -> int:
        """Store a partial matrix in place of its previous state; returns its number."""
        return self._put(value, self._number() if number is None else number)

    def release(self, number: int) -> None:
        """Make a number available for the next matrix that is stored."""
        self._free.append(number)

    def kept(self) -> None:
        """Note that all partial results are stored, and set the time for the next ones."""
        now = time.monotonic()
        self._next = now + max(_EVERY_S, _SHARE * (now - self._begun))

    def _number(self) -> int:
        if self._free:
            return self._free.popleft()
        self._last += 1
        return self._last

    def _put(self, value: TensorValue, number: int) -> int:
        record = TensorRecord(
            id=number,
            dtype=value.dtype,
            shape=value.shape,
            strides=None,
            device="cpu",
            layout="strided",
            requires_grad=False,
            storage=None,
            version=None,
            content="whole",
            kept_shape=value.shape,
            kept_steps=(1,) * len(value.shape),
            note="",
            statistics=None,
        )
        self._writer.put_tensor(record, value.data)
        self._writer.flush()
        return number

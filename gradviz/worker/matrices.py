"""Puts the matrices of a check into a trace, also those that are still being computed."""

from __future__ import annotations

import time
from collections import deque

from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.store.writer import TraceWriter

FIRST_AFTER_S = 0.7
"""A check that is done before leaves nothing unfinished."""

_EVERY_S = 0.4
_SHARE = 20
"""Keeping may take one part in so many of the time, however large the matrices are."""


class Matrices:
    """A `GrowingSink`: each matrix in a transaction of its own."""

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._last = writer.highest("tensor")
        self._free: deque[int] = deque()
        self._next = time.monotonic() + FIRST_AFTER_S
        self._begun = 0.0

    def store(self, value: TensorValue) -> int:
        """Keeps a matrix; returns its number in the trace."""
        return self._put(value, self._number())

    def is_due(self) -> bool:
        """Whether it is time to keep what there is."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._begun = now
        return True

    def keep(self, value: TensorValue, number: int | None) -> int:
        """Keeps what there is of a matrix, in the place of what there was."""
        return self._put(value, self._number() if number is None else number)

    def release(self, number: int) -> None:
        """Takes a number for the next matrix that is stored."""
        self._free.append(number)

    def kept(self) -> None:
        """Says that all has been kept that was due: for a while nothing more is."""
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

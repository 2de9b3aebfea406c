"""Copies of large tensors for the process that writes the trace, which describes them."""

from __future__ import annotations

from typing import Any

from gradviz.recorder.log import RecordLog
from gradviz.recorder.tensors.tensor_form import OrdinaryForm, TensorKey, memory_key
from gradviz.store.packed_rows import SharedCopy

_MOST_COPIES = 10_000


class SharedCopies:
    """Copies elements once for all views of them."""

    def __init__(self, log: RecordLog) -> None:
        self._log = log
        self._copies: dict[tuple[Any, ...], tuple[object, SharedCopy]] = {}

    def copy(
        self, address: int, ordinary: OrdinaryForm, key: TensorKey, state: object
    ) -> SharedCopy | None:
        """Copy the elements of a tensor; None if the run has to describe them.

        Args:
            address: Where they begin.
            ordinary: The form of the tensor.
            key: Its key.
            state: Is the same as before as long as the elements are.
        """
        if not ordinary.dense_bytes:
            return None
        place = memory_key(key)
        known = self._copies.get(place)
        earlier = known[1] if known is not None and known[0] == state else None
        copy = self._log.share(address, ordinary.dense_bytes, earlier)
        if copy is not None and copy is not earlier:
            if len(self._copies) > _MOST_COPIES:
                self._copies.clear()
            self._copies[place] = (state, copy)
        return copy

    def forget(self) -> None:
        """Forget all copies."""
        self._copies.clear()

"""Copies of large tensors for the process that writes the trace, which describes them."""

from __future__ import annotations

from gradviz.recorder.log import RecordLog
from gradviz.store.packed_rows import SharedCopy

_MOST_COPIES = 10_000


class SharedCopies:
    """Copies elements once for all views of them."""

    def __init__(self, log: RecordLog) -> None:
        self._log = log
        self._copies: dict[tuple[int, int, int], tuple[object, SharedCopy]] = {}

    def copy(self, storage: int, address: int, size: int, state: object) -> SharedCopy | None:
        """Copy memory; None if the run has to describe the tensor.

        Args:
            storage: Number of its storage.
            address: Where it begins.
            size: Its bytes.
            state: Is the same as before as long as the elements are.
        """
        place = (storage, address, size)
        known = self._copies.get(place)
        earlier = known[1] if known is not None and known[0] == state else None
        copy = self._log.share(address, size, earlier)
        if copy is not None and copy is not earlier:
            if len(self._copies) > _MOST_COPIES:
                self._copies.clear()
            self._copies[place] = (state, copy)
        return copy

    def forget(self) -> None:
        """Forget all copies."""
        self._copies.clear()

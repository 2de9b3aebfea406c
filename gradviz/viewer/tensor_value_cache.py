"""Least-recently-used cache for tensor elements, limited in bytes."""

from __future__ import annotations

from collections import OrderedDict

from gradviz.model.tensor import TensorValue


class ValueCache:
    """The most recently used tensor values, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._held = 0
        self._values: OrderedDict[int, TensorValue | None] = OrderedDict()

    def get(self, key: int) -> tuple[bool, TensorValue | None]:
        """Return whether a value is cached, and the value (None if the trace stored none)."""
        if key not in self._values:
            return False, None
        self._values.move_to_end(key)
        return True, self._values[key]

    def put(self, key: int, value: TensorValue | None) -> None:
        """Cache a value and evict the least recently used ones beyond the limit."""
        self._held -= _size(self._values.get(key))
        self._values[key] = value
        self._held += _size(value)
        while self._held > self._most and len(self._values) > 1:
            self._held -= _size(self._values.popitem(last=False)[1])


def _size(value: TensorValue | None) -> int:
    return 0 if value is None else len(value.data)

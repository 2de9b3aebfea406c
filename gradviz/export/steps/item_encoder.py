"""The items of one step as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.export.tensor.json_value import tensor_json
from gradviz.model.item import Item

_MOST_REPEATED = 1 << 20
"""Maximum number of bytes of elements that one step may repeat."""


class ItemEncoder:
    """Encodes each tensor of a step once, however often the step lists it.

    Otherwise a step of 20,000 ops reads and encodes the elements of one tensor 20,000 times. Those
    that are repeated until they are far too many are left out, as they would fill the memory.
    """

    def __init__(self, index: TraceIndex) -> None:
        """Set the trace and the reader of elements.

        Args:
            index: The trace.
        """
        self._index = index
        self._known: dict[int, dict[str, Any]] = {}
        self._without_elements: dict[int, dict[str, Any]] = {}
        self._sizes: dict[int, int] = {}
        self._left = _MOST_REPEATED

    def items(self, items: Sequence[Item]) -> list[dict[str, Any]]:
        """Build an object for each item."""
        return [self.item(item) for item in items]

    def item(self, item: Item) -> dict[str, Any]:
        """Build a `tensor_json` object, ``{name, none: true}``, or ``{name, object: text}``.

        A NumPy array is a tensor with ``array: true``. Objects of one tensor share their members.
        """
        if item.tensor is not None:
            data = self._tensor(item.tensor) | {"name": item.name}
            # A tensor item has text only if it was a NumPy array.
            return data | {"array": True} if item.text else data
        if item.kind == "none":
            return {"name": item.name, "none": True}
        return {"name": item.name, "object": item.text}

    def _tensor(self, number: int) -> dict[str, Any]:
        if number not in self._known:
            value = self._index.value(number)
            self._sizes[number] = 0 if value is None else len(value.data)
            self._known[number] = tensor_json("", self._index.tensor[number], value)
        elif self._left > 0:
            self._left -= self._sizes[number]
        else:
            return self._bare(number)
        return self._known[number]

    def _bare(self, number: int) -> dict[str, Any]:
        if number not in self._without_elements:
            data = tensor_json("", self._index.tensor[number], None)
            self._without_elements[number] = data
        return self._without_elements[number]

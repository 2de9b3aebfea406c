"""The tensors of a page: each once, with the texts and colors of its elements."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.color_map import (
    color_indices,
    color_table,
    color_values,
    own_color_limit,
)
from gradviz.model.item import Item
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.phrases import record_shape_text, shape_text

MOST_WHOLE = 1_024
"""Largest number of elements of a tensor that a page contains whole."""

MOST_ELEMENTS = 40_000
"""Largest number of elements in all tensors of a page together."""

_MOST_NUMBERS, _MOST_COLUMNS = 144, 16
"""Elements and columns of a table of numbers; larger tensors are pictures."""


def cells_json(elements: npt.NDArray[Any], limit: float) -> dict[str, Any]:
    """Build ``{shape, texts, heat}`` with the elements in row-major order.

    Args:
        elements: The elements.
        limit: End of the color scale.

    Returns:
        ``heat`` has entries of `color_table`, or after it, in a page, of `NON_FINITE`.
    """
    values = color_values(elements)
    found = np.array(color_indices(values, limit))
    for at, where in enumerate((np.isnan(values), values == np.inf, values == -np.inf)):
        found[where] = len(color_table("light")) + at
    return {
        "shape": list(elements.shape),
        "texts": [number_text(each) for each in elements.ravel().tolist()],
        "heat": found.ravel().tolist(),
    }


class PageTensors:
    """Lists each tensor once, however many steps show it."""

    def __init__(
        self,
        index: TraceIndex,
        most: int = 0,
        pool: dict[str, int] | None = None,
    ) -> None:
        """Set where tensors are from.

        Args:
            index: The trace.
            most: Number of elements that there is room for.
            pool: Where tensors are listed, if together with those of another trace.
        """
        self._index = index
        self._seen: set[int] = set()
        self._left = most
        self._pool: dict[str, int] = {} if pool is None else pool

    @property
    def tensors(self) -> list[dict[str, Any]]:
        """What the page has of each: ``{shape, texts, heat, equal, is_picture, notes}``."""
        return [json.loads(each) for each in self._pool]

    def make_room(self, elements: int) -> None:
        """Have room for more elements."""
        self._left += elements

    def item(
        self, item: Item, name: str | None = None, limit: float | None = None
    ) -> dict[str, Any]:
        """Build ``{name, about, tensor}`` for a value, without the last one if it is no tensor.

        Args:
            item: The value.
            name: The name to show; by default its own.
            limit: End of the color scale; by default that of the tensor by itself.
        """
        data: dict[str, Any] = {"name": visible_text(item.name if name is None else name)}
        if item.tensor is not None:
            record = self._index.tensor[item.tensor]
            return data | {"about": _type(record), "tensor": self._tensor(item.tensor, limit)}
        text = say("page.none") if item.kind == "none" else visible_text(item.text)
        return data | {"about": "" if text == data["name"] else f"= {text}"}

    def computed(self, value: TensorValue, name: str, limit: float) -> dict[str, Any]:
        """The same for a tensor that is in no trace."""
        data = {**_shown(value.array(), limit), "notes": []}
        about = f"{shape_text(value.shape)} · {value.dtype}"
        return {"name": name, "about": about, "tensor": self._pooled(data)}

    def whole(self, tensor: int | None) -> TensorValue | None:
        """All elements of a tensor; None if they were not stored, or the page lacks the room."""
        record = None if tensor is None else self._index.tensor.bare(tensor)
        if tensor is None or record is None or record.content != "whole":
            return None
        if tensor not in self._seen:
            if record.count > min(MOST_WHOLE, self._left):
                return None
            self._seen.add(tensor)
            self._left -= record.count
        return self._index.value(tensor)

    def _tensor(self, tensor: int, limit: float | None) -> int:
        record, value = self._index.tensor[tensor], self.whole(tensor)
        data: dict[str, Any] = {"shape": list(record.shape)}
        if value is not None and record.count:
            elements = value.array()
            data |= _shown(elements, own_color_limit(elements) if limit is None else limit)
        is_read = "texts" in data and not data["is_picture"]
        notes = [] if is_read else _notes(record, is_here=value is not None)
        return self._pooled(data | {"notes": notes})

    def _pooled(self, data: dict[str, Any]) -> int:
        return self._pool.setdefault(json.dumps(data), len(self._pool))


def _distinct(elements: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], str]:
    """The elements without rows that repeat the first one, and in words what was left out."""
    if elements.size > 1 and bool((elements == elements.flat[0]).all()):
        return elements.reshape(-1)[0], say("page.equal")
    if elements.ndim == 2 and len(elements) > 1 and bool((elements == elements[:1]).all()):
        return elements[0], say("page.equal_rows", count=format_count(len(elements)))
    return elements, ""


def _shown(elements: npt.NDArray[Any], limit: float) -> dict[str, Any]:
    distinct, equal = _distinct(elements)
    if distinct.size > _MOST_COLUMNS:
        distinct, equal = elements, ""
    columns = distinct.shape[-1] if distinct.ndim else 1
    is_picture = distinct.size > _MOST_NUMBERS or columns > _MOST_COLUMNS
    return {**cells_json(distinct, limit), "equal": equal, "is_picture": is_picture}


def _type(record: TensorRecord) -> str:
    return visible_text(f"{record_shape_text(record)} · {record.dtype}")


def _notes(record: TensorRecord, *, is_here: bool) -> list[str]:
    """What is known of a tensor whose numbers are not shown."""
    if not record.count:
        return [say("tensor.no_elements")]
    notes = []
    if record.note:
        notes.append(visible_text(record.note))
    elif not is_here and record.content in ("whole", "preview"):
        notes.append(say_count("page.elements", record.count))
    return notes if record.statistics is None else [*notes, _statistics_text(record.statistics)]


def _statistics_text(known: Statistics) -> str:
    """What is known of all elements, in one line."""
    numbers = {
        name: "–" if (value := getattr(known, name)) is None else number_text(value)
        for name in ("minimum", "maximum", "mean", "norm")
    }
    texts = [say("page.statistics", **numbers)]
    if known.nans:
        texts.append(say("page.nans", count=format_count(known.nans)))
    if known.infinities:
        texts.append(say("page.infinities", count=format_count(known.infinities)))
    return ", ".join(texts)

"""Short texts for what a line set, such as ``grad_input = 2×2 [[3 12] [3 12]]``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.numbers import exact_number, number_text
from gradviz.model.inside import ExecutedLine
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.phrases import record_shape_text
from gradviz.text.sentences.values import is_array
from gradviz.viewer.translation import translate

MOST_NUMBERS = 24
"""Tensors with more elements are shown by their minimum and maximum."""

BETWEEN = ",  "
"""Separator between two changes made by one line."""

_MOST_TEXT = 120

ReadElements = Callable[[int], TensorValue | None]
"""Returns the stored elements of a tensor, or None if they were not stored."""


def item_text(index: TraceIndex, item: Item, elements: ReadElements) -> str:
    """Return a value as text: a scalar in full, a small tensor with its numbers."""
    record = None
    if item.tensor is not None and item.tensor in index.tensor:
        record = index.tensor[item.tensor]
    if record is None:
        return _cut(item.text or "None")
    if record.count == 1 and not record.shape and record.content == "whole":
        value = elements(record.id)
        if value is not None:
            return exact_number(value.array()[()])
    text = " ".join(
        part for part in (record_shape_text(record), _numbers(record, elements)) if part
    )
    return translate("Source", "{text} (NumPy)").format(text=text) if is_array(item) else text


def line_values(
    index: TraceIndex, line: ExecutedLine, returned: Sequence[Item], elements: ReadElements
) -> tuple[str, ...]:
    """Return everything that a line set, deleted and returned, each as text.

    Args:
        index: The trace.
        line: The line.
        returned: What it returned, as `returned_values` finds it.
        elements: Returns the elements of small tensors.
    """
    parts = [
        translate("Source", "{name} = {value}").format(
            name=item.name, value=item_text(index, item, elements)
        )
        for item in line.changes
    ]
    parts += [translate("Source", "{name} deleted").format(name=name) for name in line.removed]
    if returned:
        value = BETWEEN.join(item_text(index, each, elements) for each in returned)
        parts.append(translate("Source", "returns {value}").format(value=value))
    return tuple(parts)


def _numbers(record: TensorRecord, elements: ReadElements) -> str:
    numbers = record.statistics
    if record.count == 0:
        return translate("Source", "empty")
    if record.content == "whole" and record.count <= MOST_NUMBERS:
        value = elements(record.id)
        if value is not None:
            return _nested(value.array())
    if numbers is None or numbers.minimum is None or numbers.maximum is None:
        return ""
    if record.dtype.startswith("complex"):
        return ""
    low, high = (_as_kind(record, each) for each in (numbers.minimum, numbers.maximum))
    if low == high and numbers.all_finite:
        return translate("Source", "all {value}").format(value=number_text(low))
    text = translate("Source", "from {low} to {high}").format(
        low=number_text(low), high=number_text(high)
    )
    return (
        text
        if numbers.all_finite
        else translate("Source", "{text}, with NaN or Inf").format(text=text)
    )


def _as_kind(record: TensorRecord, value: float) -> object:
    return bool(value) if record.dtype == "bool" else value


def _nested(array: np.ndarray[Any, Any]) -> str:
    if array.ndim == 0:
        return number_text(array[()])
    return "[" + " ".join(_nested(each) for each in array) + "]"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TEXT else line[:_MOST_TEXT] + "…"

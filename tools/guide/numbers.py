"""Recorded values as a reader wants them: short numbers, rows in brackets."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.item import Item
from gradviz.model.tensor import TensorValue

DECIMALS = 4
_FORM = re.compile(r"\.\d+[efg]|\d*d")


class FormError(ValueError):
    """There is no such way to write a value."""


def text_of_item(
    index: TraceIndex, item: Item, form: str, at: tuple[int, ...] | None = None
) -> str:
    """An item as text.

    Args:
        index: Of the trace that it is from.
        item: A tensor, None or another object.
        form: How its numbers are written, like ``.4f``; ``matrix`` for LaTeX; empty for short.
        at: Which element; None for all of them.

    Raises:
        FormError: If it cannot be written so.
    """
    if item.kind == "none":
        return "None"
    if item.tensor is None:
        return item.text
    return text_of_value(index.value(item.tensor), form, at)


def text_of_value(value: TensorValue | None, form: str, at: tuple[int, ...] | None = None) -> str:
    """Elements as text; see `text_of_item`."""
    if value is None:
        raise FormError("the elements of that tensor were not kept")
    array = value.array()
    if at is not None:
        return text_of_number(array[at].item(), form)
    if form == "matrix":
        return _matrix(array)
    return _rows(array.tolist(), form)


def text_of_number(number: Any, form: str) -> str:
    """``3``, ``0.5403`` or ``True``; with a form as Python formats it."""
    if isinstance(number, bool):
        return str(number)
    if form:
        if _FORM.fullmatch(form) is None:
            raise FormError(f"numbers are not written as {form}; write as .4f, or as matrix")
        return format(number, form)
    if isinstance(number, complex):
        return str(number)
    if not math.isfinite(number) or number != int(number):
        return _short(float(number))
    return str(int(number))


def _short(number: float) -> str:
    rounded = round(number, DECIMALS)
    if not math.isfinite(number) or abs(rounded) >= 10**-DECIMALS * 10:
        return f"{rounded:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return f"{number:.{DECIMALS}g}"


def _rows(rows: Any, form: str) -> str:
    if isinstance(rows, list):
        return f"[{', '.join(_rows(row, form) for row in rows)}]"
    return text_of_number(rows, form)


def _matrix(array: Any) -> str:
    rows = np.atleast_2d(array)
    if rows.ndim != 2:
        raise FormError("a matrix has two dimensions")
    lines = (" & ".join(text_of_number(each, "") for each in row) for row in rows.tolist())
    return " ".join((r"\begin{bmatrix}", r" \\ ".join(lines), r"\end{bmatrix}"))

"""Conditions for writing a whole tensor, shared by all formats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.catalogue.language import format_count
from gradviz.export.errors import ExportError
from gradviz.model.tensor import TensorRecord, TensorValue

MOST_AS_TEXT = 16_384
"""Maximum number of elements written as text; binary files have no limit."""


def whole_array(record: TensorRecord, value: TensorValue | None) -> npt.NDArray[Any]:
    """All elements of a tensor; types that numpy lacks become float32, which is exact.

    Raises:
        ExportError: If not all elements were kept.
    """
    if value is None:
        raise ExportError("export.no_values", why=record.note)
    if record.content != "whole":
        kept = format_count(math.prod(record.kept_shape))
        raise ExportError("export.sample", kept=kept, count=format_count(record.count))
    return value.array()


def few_enough(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array if it is small enough to be written as text.

    Raises:
        ExportError: If it has too many elements.
    """
    if array.size > MOST_AS_TEXT:
        raise ExportError(
            "export.too_many", count=format_count(array.size), most=format_count(MOST_AS_TEXT)
        )
    return array


def plain_number(value: Any) -> str:
    """Format an element with all its digits, as Python does: ``0.1``, ``-inf``, ``1+2j``.

    It is the shortest text that restores the same bits when it is read as a double and cast to the
    element's own type; NaN gives some NaN.
    """
    if isinstance(value, np.complexfloating):
        real, imaginary = plain_number(value.real), plain_number(value.imag)
        sign = "" if imaginary.startswith("-") else "+"
        return f"{real}{sign}{imaginary}j"
    if isinstance(value, np.floating) and np.isfinite(value):
        text = str(value)
        # Rounding twice, to double and then to the own type, can differ from rounding once.
        return text if type(value)(float(text)) == value else repr(float(value))
    return str(value)

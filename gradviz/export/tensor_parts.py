"""Which tensors can be written down whole, for every format that writes one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.export.errors import ExportError
from gradviz.model.tensor import TensorRecord, TensorValue

MOST_AS_TEXT = 16_384
"""Elements that are written as text at most; a file of bytes can hold all of them."""


def whole_array(record: TensorRecord, value: TensorValue | None) -> npt.NDArray[Any]:
    """All elements of a tensor; types that numpy lacks as float32, which holds each of them.

    Raises:
        ExportError: If not all elements were kept: what is left is not that tensor.
    """
    if value is None:
        raise ExportError("export.no_values", why=record.note)
    if record.content != "whole":
        kept = f"{np.prod(record.kept_shape, dtype=np.int64):,}"
        raise ExportError("export.sample", kept=kept, count=f"{record.count:,}")
    return value.array()


def few_enough(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same array.

    Raises:
        ExportError: If it has too many elements to be written as text.
    """
    if array.size > MOST_AS_TEXT:
        raise ExportError("export.too_many", count=f"{array.size:,}", most=f"{MOST_AS_TEXT:,}")
    return array


def plain_number(value: Any) -> str:
    """An element with all its digits, as Python writes it: ``0.1``, ``-inf``, ``True``, ``1+2j``.

    It is the shortest text that gives the same bits back when it is read as a double and then cast
    to the element's own type; NaN gives some NaN back.
    """
    if isinstance(value, np.complexfloating):
        real, imaginary = plain_number(value.real), plain_number(value.imag)
        sign = "" if imaginary.startswith("-") else "+"
        return f"{real}{sign}{imaginary}j"
    if isinstance(value, np.floating) and np.isfinite(value):
        text = str(value)
        # Rounding twice, to double and then to the own type, can end elsewhere than rounding once.
        return text if type(value)(float(text)) == value else repr(float(value))
    return str(value)

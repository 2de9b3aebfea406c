"""A tensor as Python source: ``torch.tensor(...)`` with exactly the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.export.tensor.whole_tensor import few_enough, plain_number, whole_array
from gradviz.model.tensor import TensorRecord, TensorValue

_WORDS = {"nan": "torch.nan", "inf": "torch.inf", "-inf": "-torch.inf"}


def python_source(record: TensorRecord, value: TensorValue | None) -> str:
    """Format the expression; it needs ``import torch`` and nothing else.

    The dtype is always included. Device, strides and ``requires_grad`` are not: the result is a
    contiguous leaf on the CPU.

    Raises:
        ExportError: If not all elements were kept, or there are too many for text.
    """
    array = few_enough(whole_array(record, value))
    if array.size == 0:
        return f"torch.empty({record.shape}, dtype=torch.{record.dtype})"
    head = "torch.tensor("
    return f"{head}{_nested(array, len(head))}, dtype=torch.{record.dtype})"


def python_element(value: Any) -> str:
    """Format one element as a Python expression."""
    if isinstance(value, np.complexfloating):
        return _complex(value)
    text = plain_number(value)
    return _WORDS.get(text, text)


def _nested(array: npt.NDArray[Any], indent: int) -> str:
    if array.ndim == 0:
        return python_element(array[()])
    if array.ndim == 1:
        return f"[{', '.join(python_element(each) for each in array)}]"
    rows = (_nested(row, indent + 1) for row in array)
    # As torch prints it: one more empty line between rows for each further dimension.
    gap = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return f"[{gap.join(rows)}]"


def _complex(value: Any) -> str:
    """``1.5-2.0j``, or ``complex(...)`` where adding the parts would lose a sign or a NaN."""
    parts = (value.real, value.imag)
    if all(np.isfinite(part) and not (part == 0 and np.signbit(part)) for part in parts):
        return plain_number(value)
    return f"complex({', '.join(python_element(part) for part in parts)})"

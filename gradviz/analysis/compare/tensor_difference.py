"""Differences between two tensors of any dtypes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.tensor import TensorRecord, TensorValue

TensorVerdict = Literal[
    "equal", "same_value", "rounding", "differs", "shapes", "kinds", "unknown",
    "only_left", "only_right",
]  # fmt: skip
"""The result of comparing two values.

``same_value``: the same numbers with different bits or dtypes. ``rounding``: within `TOLERANCES`.
``kinds``: a tensor on one side only, or different texts. ``unknown``: not enough elements were
kept.
"""

AGREEING_VERDICTS: frozenset[TensorVerdict] = frozenset(
    {"equal", "same_value", "rounding", "unknown"}
)
"""Verdicts that do not count as a difference."""

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}
"""Relative and absolute, as in ``torch.testing.assert_close``; for two dtypes, the larger ones."""

ComparedArray = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorDifference:
    """The difference between two tensors.

    Attributes:
        verdict: Result of the comparison.
        whole: Whether all elements were compared, and not only those that were kept.
        differing: Number of elements that are not the same number.
        count: Number of elements that were compared.
        largest: Largest magnitude of the difference, in float64; infinite if the difference is not
            finite, as with Inf or NaN on one side. None if nothing differs, and for bool.
        relative: That difference over the larger magnitude of the two elements; None if not finite.
        where: Index of that element in the whole tensor; None if there is none.
    """

    verdict: TensorVerdict
    whole: bool = True
    differing: int = 0
    count: int = 0
    largest: float | None = None
    relative: float | None = None
    where: tuple[int, ...] | None = None


def compare_tensors(
    left: TensorRecord,
    right: TensorRecord,
    left_value: TensorValue | None,
    right_value: TensorValue | None,
) -> TensorDifference:
    """Compare two tensors; swapping the two sides gives the same result."""
    if left.shape != right.shape:
        return TensorDifference(verdict="shapes")
    whole = left.content == right.content == "whole"
    if left_value is None or right_value is None or left.kept_steps != right.kept_steps:
        return TensorDifference(verdict=_by_statistics(left, right), whole=False)
    # Usually the bytes are equal, which is far faster to find out than by element.
    if left_value == right_value:
        return TensorDifference(verdict="equal", whole=whole, count=_count(left_value))
    return _elements(left, right, left_value.array(), right_value.array(), whole=whole)


def _count(value: TensorValue) -> int:
    return int(np.prod(value.shape, dtype=np.int64))


def _by_statistics(left: TensorRecord, right: TensorRecord) -> TensorVerdict:
    """The verdict if the two sides did not keep the same elements."""
    if left.statistics is None or right.statistics is None or left.dtype != right.dtype:
        return "unknown"
    return "unknown" if left.statistics == right.statistics else "differs"


def _elements(
    left: TensorRecord,
    right: TensorRecord,
    one: ComparedArray,
    other: ComparedArray,
    *,
    whole: bool,
) -> TensorDifference:
    if one.shape != other.shape:
        return TensorDifference(verdict="unknown", whole=False)
    if one.dtype.kind == other.dtype.kind == "b":
        differing = int((one != other).sum())
        where = _place(left, (one != other).argmax(), one.shape) if differing else None
        verdict: TensorVerdict = "differs" if differing else "equal"
        return TensorDifference(
            verdict=verdict, whole=whole, differing=differing, count=one.size, where=where
        )
    sizes = difference_magnitudes(one, other)
    differing = int((sizes > 0).sum())
    if not differing:
        return TensorDifference(verdict="same_value", whole=whole, count=one.size)
    at = int(np.argmax(sizes))
    largest = float(sizes.flat[at])
    with np.errstate(all="ignore"):
        against = float(max(abs(one.flat[at]), abs(other.flat[at])))
    finite = np.isfinite(largest) and np.isfinite(against) and against > 0
    return TensorDifference(
        verdict="rounding" if _within(left, right, one, other, sizes) else "differs",
        whole=whole,
        differing=differing,
        count=one.size,
        largest=largest,
        relative=largest / against if finite else None,
        where=_place(left, at, one.shape),
    )


def _place(record: TensorRecord, at: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    kept = np.unravel_index(int(at), shape) if shape else ()
    return tuple([int(place) * step for place, step in zip(kept, record.kept_steps, strict=True)])


def difference_magnitudes(one: ComparedArray, other: ComparedArray) -> npt.NDArray[np.float64]:
    """Absolute difference of each pair of elements in float64; 0 if both are NaN or equal."""
    # As float64, large 64-bit integers would lose their last digits.
    if one.dtype.kind in "iu" and other.dtype.kind in "iu":
        larger = np.where(one > other, one, other).astype(np.uint64)
        smaller = np.where(one > other, other, one).astype(np.uint64)
        return (larger - smaller).astype(np.float64)  # Computed modulo 2**64, so that it is exact.
    left, right = _wide(one), _wide(other)
    with np.errstate(all="ignore"):
        found: npt.NDArray[np.float64] = np.abs(left - right).astype(np.float64)
    # Inf minus Inf and NaN on one side are infinitely far apart; equal ones are excluded below.
    found = np.where(np.isnan(found), np.inf, found)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    return np.where(same, 0.0, found)


def signed_difference(left: TensorValue, right: TensorValue) -> ComparedArray | None:
    """Right minus left in float64 or complex128; None for bool and for different shapes."""
    if left.shape != right.shape or "bool" in (left.dtype, right.dtype):
        return None
    with np.errstate(all="ignore"):
        found: ComparedArray = _wide(right.array()) - _wide(left.array())
    return found


def value_difference(left: TensorValue | None, right: TensorValue | None) -> TensorValue | None:
    """Right minus left, in elements; None if a side is missing, or if it is zero or undefined."""
    change = None if left is None or right is None else signed_difference(left, right)
    if left is None or right is None or change is None:
        return None
    # Two NaN count as equal, although their difference is NaN.
    if not difference_magnitudes(left.array(), right.array()).any():
        return None
    data = np.ascontiguousarray(change).tobytes()
    return TensorValue(dtype=change.dtype.name, shape=change.shape, data=data)


def _wide(array: ComparedArray) -> ComparedArray:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _within(
    left: TensorRecord,
    right: TensorRecord,
    one: ComparedArray,
    other: ComparedArray,
    sizes: ComparedArray,
) -> bool:
    bounds = [TOLERANCES.get(_real(record.dtype)) for record in (left, right)]
    known = [bound for bound in bounds if bound is not None]
    if not known:
        return False
    # The dtype with the larger relative tolerance never has the smaller absolute one.
    rtol, atol = max(known)
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(_wide(one)), np.abs(_wide(other)))
        return bool((np.isfinite(sizes) & (sizes <= atol + rtol * scale)).all())


def _real(dtype: str) -> str:
    """The dtype of the real and imaginary parts of a complex dtype."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)

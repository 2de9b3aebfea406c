"""How far two tensors are apart, whatever their dtypes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.tensor import TensorRecord, TensorValue

Verdict = Literal[
    "equal", "same_value", "rounding", "differs", "shapes", "kinds", "unknown",
    "only_left", "only_right",
]  # fmt: skip
"""``same_value``: other bits or another dtype, but the same numbers; ``rounding``: within
`TOLERANCES`; ``kinds``: a tensor here and none there, or other text; ``unknown``: not enough of it
was kept."""

AGREE: frozenset[Verdict] = frozenset({"equal", "same_value", "rounding", "unknown"})
"""Those that are no difference."""

TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}
"""Relative and absolute, as ``torch.testing.assert_close`` has them; of two dtypes the larger."""

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """What there is to say of two tensors.

    Attributes:
        verdict: How they compare.
        whole: Whether all elements were compared; else only those that were kept.
        differing: Elements that are not the same number.
        count: Elements that were compared.
        largest: The largest magnitude of their difference, in float64; infinite where that is no
            finite number, as with an infinity or a NaN on one side. None where nothing differs,
            and for bool.
        relative: That, over the larger magnitude of the two elements; None where it is not finite.
        where: Index of that element in the whole tensor; None without it.
    """

    verdict: Verdict
    whole: bool = True
    differing: int = 0
    count: int = 0
    largest: float | None = None
    relative: float | None = None
    where: tuple[int, ...] | None = None


def tensors_apart(
    left: TensorRecord,
    right: TensorRecord,
    left_value: TensorValue | None,
    right_value: TensorValue | None,
) -> Apart:
    """Compares two tensors, the same way whichever is called left."""
    if left.shape != right.shape:
        return Apart(verdict="shapes")
    whole = left.content == right.content == "whole"
    if left_value is None or right_value is None or left.kept_steps != right.kept_steps:
        return Apart(verdict=_by_statistics(left, right), whole=False)
    if left_value == right_value:
        return Apart(verdict="equal", whole=whole, count=_count(left_value))
    return _elements(left, right, left_value.array(), right_value.array(), whole=whole)


def _count(value: TensorValue) -> int:
    return int(np.prod(value.shape, dtype=np.int64))


def _by_statistics(left: TensorRecord, right: TensorRecord) -> Verdict:
    """What can be said where not the same elements were kept of both."""
    if left.statistics is None or right.statistics is None or left.dtype != right.dtype:
        return "unknown"
    return "unknown" if left.statistics == right.statistics else "differs"


def _elements(
    left: TensorRecord, right: TensorRecord, one: Array, other: Array, *, whole: bool
) -> Apart:
    if one.shape != other.shape:
        return Apart(verdict="unknown", whole=False)
    if one.dtype.kind == other.dtype.kind == "b":
        differing = int((one != other).sum())
        where = _place(left, (one != other).argmax(), one.shape) if differing else None
        verdict: Verdict = "differs" if differing else "equal"
        return Apart(verdict=verdict, whole=whole, differing=differing, count=one.size, where=where)
    sizes = magnitudes(one, other)
    differing = int((sizes > 0).sum())
    if not differing:
        return Apart(verdict="same_value", whole=whole, count=one.size)
    at = int(np.argmax(sizes))
    largest = float(sizes.flat[at])
    with np.errstate(all="ignore"):
        against = float(max(abs(one.flat[at]), abs(other.flat[at])))
    finite = np.isfinite(largest) and np.isfinite(against) and against > 0
    return Apart(
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


def magnitudes(one: Array, other: Array) -> npt.NDArray[np.float64]:
    """How far each pair of elements is apart, in float64; 0 where both are NaN, or the same."""
    if one.dtype.kind in "iu" and other.dtype.kind in "iu":
        larger = np.where(one > other, one, other).astype(np.uint64)
        smaller = np.where(one > other, other, one).astype(np.uint64)
        return (larger - smaller).astype(np.float64)  # Modulo 2**64, so that it is exact.
    left, right = _wide(one), _wide(other)
    with np.errstate(all="ignore"):
        found: npt.NDArray[np.float64] = np.abs(left - right).astype(np.float64)
    found = np.where(np.isnan(found), np.inf, found)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    return np.where(same, 0.0, found)


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _within(
    left: TensorRecord, right: TensorRecord, one: Array, other: Array, sizes: Array
) -> bool:
    bounds = [TOLERANCES.get(_real(record.dtype)) for record in (left, right)]
    known = [bound for bound in bounds if bound is not None]
    if not known:
        return False
    rtol, atol = max(known)
    with np.errstate(all="ignore"):
        scale = np.maximum(np.abs(_wide(one)), np.abs(_wide(other)))
        return bool((np.isfinite(sizes) & (sizes <= atol + rtol * scale)).all())


def _real(dtype: str) -> str:
    """The dtype of the parts of a complex one."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)

"""Kinds of problem values: NaN, Inf, zero, or large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.statistics import Statistics

ValueProblemKind = Literal["nan", "infinity", "zero", "large"]

USUAL_LIMIT = 1e6
"""Default limit above which an element counts as large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueProblem:
    """A kind of problem value to look for.

    Attributes:
        kind: ``nan``: in either part of a complex element. ``infinity``: of either sign, in either
            part. ``zero``: equal to zero. ``large``: magnitude above the limit, including Inf.
        limit: Used for ``large`` only.
    """

    kind: ValueProblemKind
    limit: float = USUAL_LIMIT

    def mask(self, array: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Mask of the elements that have the problem, in the shape of the array."""
        if self.kind == "zero":
            return np.asarray(array == 0)
        if array.dtype.kind not in "fc":
            if self.kind == "large" and array.dtype.kind in "iu":
                # In its own dtype, the magnitude of the smallest integer would overflow.
                return np.asarray(np.abs(array.astype(np.float64)) > self.limit)
            return np.zeros(array.shape, np.bool_)
        if self.kind == "nan":
            return np.asarray(np.isnan(array))
        if self.kind == "infinity":
            # A complex element can be both; it then counts as NaN.
            return np.asarray(np.isinf(array) & ~np.isnan(array))
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(np.abs(array) > self.limit)

    def has(self, value: Any) -> bool:
        """Whether one element has the problem."""
        return bool(self.mask(np.asarray(value)))

    def counted(self, known: Statistics) -> bool:
        """Whether any element of a tensor has the problem, according to its statistics."""
        if self.kind == "nan":
            return known.nans > 0
        if self.kind == "infinity":
            return known.infinities > 0
        if self.kind == "zero":
            return known.zeros > 0
        ends = [abs(end) for end in (known.minimum, known.maximum) if end is not None]
        return known.infinities > 0 or max(ends, default=0.0) > self.limit


def problem_of_value(value: Any) -> ValueProblem | None:
    """The worst problem of an element; None if it is neither NaN, Inf nor zero."""
    for kind in ("nan", "infinity", "zero"):
        candidate = ValueProblem(kind=kind)
        if candidate.has(value):
            return candidate
    return None

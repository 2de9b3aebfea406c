"""The statistics shown for a tensor, computed with numpy."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.model.codec import Natural, Real, TraceRecord


class Statistics(TraceRecord, frozen=True, kw_only=True):
    """Statistics of all elements of a tensor, accumulated in float64.

    NaN and infinities are counted but excluded from everything else. Complex elements are
    represented by their magnitude, bool elements by 0 and 1. Without finite elements, the six
    numbers from ``minimum`` to ``norm`` are None.

    Attributes:
        count: Number of elements, including NaN and infinities.
        minimum: Smallest finite element.
        maximum: Largest finite element.
        total: Sum of the finite elements.
        mean: ``total`` divided by the number of finite elements.
        std: Standard deviation with divisor n (not n - 1).
        norm: L2 norm of the finite elements.
        zeros: Number of elements equal to zero, including negative zero.
        nans: Number of NaN elements (for complex ones: either part).
        positive_infinities: Number of +Inf elements (for complex ones: either part infinite).
        negative_infinities: Number of -Inf elements; 0 for complex ones.
    """

    count: Natural
    minimum: Real | None
    maximum: Real | None
    total: Real | None
    mean: Real | None
    std: Real | None
    norm: Real | None
    zeros: Natural
    nans: Natural
    positive_infinities: Natural
    negative_infinities: Natural

    @property
    def infinities(self) -> int:
        """Number of infinite elements of either sign."""
        return self.positive_infinities + self.negative_infinities

    @property
    def all_finite(self) -> bool:
        """Whether no element is NaN or infinite."""
        return self.nans == 0 and self.infinities == 0


def statistics_of(array: npt.NDArray[Any]) -> Statistics:
    """Compute the statistics of an array of any shape and numeric or bool dtype."""
    flat = array.reshape(-1)
    if flat.dtype.kind in "fc":
        nans = np.isnan(flat)
        infinite = np.isinf(flat) & ~nans
    else:
        nans = infinite = np.zeros(flat.shape, dtype=np.bool_)
    finite = flat[~(nans | infinite)]
    negative = 0 if flat.dtype.kind == "c" else int(np.count_nonzero(infinite & (flat < 0)))
    moments = _moments(np.abs(finite) if finite.dtype.kind == "c" else finite)
    return Statistics(
        count=flat.size,
        zeros=int(np.count_nonzero(finite == 0)),
        nans=int(np.count_nonzero(nans)),
        positive_infinities=int(np.count_nonzero(infinite)) - negative,
        negative_infinities=negative,
        **moments,
    )


def moments_from_sums(
    *, finite: int, minimum: float, maximum: float, total: float, square_sum: float
) -> dict[str, float | None]:
    """Compute six numbers of `Statistics` from sums taken in one pass, in float64.

    The standard deviation is ``sqrt(square_sum / n - mean ** 2)``, which loses digits if the mean
    is large compared to the deviation. This is the price of a single pass over a large tensor.
    """
    mean = total / finite
    return {
        "minimum": minimum,
        "maximum": maximum,
        "total": total,
        "mean": mean,
        "std": math.sqrt(max(0.0, square_sum / finite - mean * mean)),
        "norm": math.sqrt(square_sum),
    }


def _moments(finite: npt.NDArray[Any]) -> dict[str, float | None]:
    if finite.size == 0:
        return dict.fromkeys(("minimum", "maximum", "total", "mean", "std", "norm"))
    wide = finite.astype(np.float64)
    # The run may have told NumPy to raise for what is too large or too small.
    with np.errstate(all="ignore"):
        moments = moments_from_sums(
            finite=wide.size,
            minimum=float(wide.min()),
            maximum=float(wide.max()),
            total=float(wide.sum()),
            # Not `dot`, whose result depends on the number of threads of its library.
            square_sum=float((wide * wide).sum()),
        )
        return moments | {"std": _deviation(wide)}


def _deviation(values: npt.NDArray[np.float64]) -> float:
    """Standard deviation from the distances to the mean.

    Scaling by a power of two brings the values near 1 without rounding, so no square overflows.
    """
    exponent = math.frexp(float(np.abs(values).max()))[1]
    return math.ldexp(float(np.ldexp(values, -exponent).std()), exponent)

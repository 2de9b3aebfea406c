"""Histograms of tensors: equal bins for finite values, separate counts for the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_BINS = 48
_FEWEST_BINS = 8
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts of the elements of an array.

    Attributes:
        edges: Ends of the bins, ascending, one more than there are bins; empty without finite
            elements. Only the last bin includes its upper end.
        counts: Number of finite elements in each bin.
        whole: Whether each bin is one integer (or False and True), with edges between integers.
        nans: Number of NaN elements.
        positive_infinities: Number of +Inf elements.
        negative_infinities: Number of -Inf elements.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    whole: bool
    nans: int
    positive_infinities: int
    negative_infinities: int

    @property
    def total(self) -> int:
        """Number of elements, including NaN and infinities."""
        non_finite = self.nans + self.positive_infinities + self.negative_infinities
        return sum(self.counts) + non_finite

    def bin_of(self, value: float) -> int | None:
        """Index of the bin that contains a value; None if it is outside all bins."""
        if not self.counts or not self.edges[0] <= value <= self.edges[-1]:
            return None
        place = int(np.searchsorted(self.edges, value, side="right")) - 1
        return min(place, len(self.counts) - 1)


def histogram_of(values: npt.NDArray[Any]) -> Histogram:
    """Count the elements of an array of any shape and any real dtype or bool.

    Integers that span few values get one bin each. Otherwise the number of equal bins is the square
    root of the number of finite elements, within limits.
    """
    flat = values.reshape(-1)
    whole = flat.dtype.kind in "iub"
    wide = flat.astype(np.float64)
    finite = wide if whole else wide[np.isfinite(wide)]
    edges, counts, one_each = _bins(finite, whole)
    return Histogram(
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        whole=one_each,
        nans=int(np.isnan(wide).sum()),
        positive_infinities=int((wide == np.inf).sum()),
        negative_infinities=int((wide == -np.inf).sum()),
    )


def _bins(
    finite: npt.NDArray[np.float64], whole: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], bool]:
    if finite.size == 0:
        return np.empty(0), np.empty(0, dtype=np.int64), False
    low, high = float(finite.min()), float(finite.max())
    if whole and high - low < MOST_BINS:
        edges = np.arange(low - 0.5, high + 1.0)
        counts, _ = np.histogram(finite, bins=edges)
        return edges, counts, True
    bins = max(_FEWEST_BINS, min(MOST_BINS, math.ceil(math.sqrt(finite.size))))
    edges = _edges(low, high, bins)
    counts, _ = np.histogram(finite, bins=edges)
    return edges, counts, False


def _edges(low: float, high: float, bins: int) -> npt.NDArray[np.float64]:
    """Evenly spaced edges; fewer if floats are too coarse for that many."""
    if low == high:
        half_width = max(0.5, math.ulp(low))
        return np.clip([low - half_width, low + half_width], -_LARGEST, _LARGEST)
    # The difference of such large ends would overflow.
    exponent = 1 if max(-low, high) > _LARGEST / 4 else 0
    ends = math.ldexp(low, -exponent), math.ldexp(high, -exponent)
    # Where floats are coarse, neighboring edges can be equal.
    edges = np.unique(np.ldexp(np.linspace(*ends, bins + 1), exponent))
    # Rounding must not leave the extreme values outside of the bins.
    edges[0], edges[-1] = low, high
    return edges

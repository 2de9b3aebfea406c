"""Curves of many values condensed to the columns of a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatColumn = npt.NDArray[np.float64]

_WINDOW = 9
"""Number of columns over which the running median is taken."""

_LOGARITHMIC_FROM = 30.0
"""Ratio of the largest to the smallest value from which a logarithmic axis helps."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveBand:
    """A curve by columns; columns without a finite value are left out.

    Attributes:
        columns: Number of each column, ascending.
        low: Smallest value in each column.
        high: Largest value in each column.
        middle: Median of the values in and around each column.
    """

    columns: npt.NDArray[np.int64]
    low: FloatColumn
    high: FloatColumn
    middle: FloatColumn


def curve_band(columns: npt.NDArray[np.int64], values: FloatColumn) -> CurveBand:
    """Condense values to minimum, maximum and running median, so that no spike is lost.

    Args:
        columns: Column of each value, ascending.
        values: The values; those that are not finite are left out.
    """
    finite = np.isfinite(values)
    columns, values = columns[finite], values[finite]
    known, starts = np.unique(columns, return_index=True)
    if not len(known):
        nothing = np.zeros(0)
        return CurveBand(columns=known, low=nothing, high=nothing, middle=nothing)
    ends = [*starts[1:].tolist(), len(values)]
    reach = _WINDOW // 2
    middle = [
        np.median(values[starts[max(0, at - reach)] : ends[min(len(ends) - 1, at + reach)]])
        for at in range(len(known))
    ]
    return CurveBand(
        columns=known,
        low=np.minimum.reduceat(values, starts),
        high=np.maximum.reduceat(values, starts),
        middle=np.array(middle),
    )


def is_logarithmic(values: FloatColumn) -> bool:
    """Whether a logarithmic axis shows values better: all are positive and some are much larger."""
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.min() <= 0:
        return False
    return bool(finite.max() / finite.min() >= _LOGARITHMIC_FROM)

"""Jumps of a sampled function, found between two samples by bisection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

_CLOSE = 1e-9
"""Distance of both sides of a jump at the end, in units of the value, or of 1."""

_SMOOTH, _POLE = 0.25, 4.0
"""Shares of the difference between two samples: less is left of it, or more, where none jumps."""

_USUAL = 2.0
"""How much larger than usual differences are those that may be jumps."""


def jumps_between(
    points: Sequence[float],
    values: Sequence[float],
    measure: Callable[[float], float],
    is_late: Callable[[], bool],
) -> Iterator[tuple[float, float]]:
    """Find both sides of each jump: two points between which nothing but a jump has space.

    Args:
        points: Where the function was sampled, ascending.
        values: The samples.
        measure: Samples it at another point; NaN where it has no value.
        is_late: Whether there is no time for more.
    """
    leaps = np.abs(np.diff(values))
    finite = leaps[np.isfinite(leaps)]
    if not len(finite):
        return
    usual = _USUAL * float(np.quantile(finite, 0.25)) + 1e-9 * float(finite.max())
    for leap, sides, ends in zip(leaps, pairwise(points), pairwise(values), strict=True):
        if is_late():
            return
        if leap > usual and math.isfinite(leap):
            found = _bisected(sides, ends, measure)
            if found is not None:
                yield found


def _bisected(
    sides: tuple[float, float], ends: tuple[float, float], measure: Callable[[float], float]
) -> tuple[float, float] | None:
    """The sides of a jump between two points; None for a slope or a pole."""
    (low, high), (first, last) = sides, ends
    leap = abs(last - first)
    while high - low > _CLOSE * max(1.0, abs(low)):
        middle = low + (high - low) / 2
        value = measure(middle)
        if abs(value - first) >= abs(last - value):
            high, last = middle, value
        else:
            low, first = middle, value
        # False for NaN, too.
        if not _SMOOTH * leap <= abs(last - first) <= _POLE * leap:
            return None
    return low, high

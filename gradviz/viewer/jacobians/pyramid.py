"""Coarser and coarser levels of a large matrix that keep every peak."""

from __future__ import annotations

import numpy as np

from gradviz.drawing.heat import Floats

COARSEST = 128
"""Minimum length of a level's longer side."""

Levels = tuple[Floats, ...]
"""The matrix itself, then levels with half the rows and columns of the previous one."""


def levels_of(heat: Floats) -> Levels:
    """Compute all levels of a matrix.

    Each element of a level is the one with the largest magnitude among the two by two elements
    below it, so a thin diagonal or a single wrong element stays visible at any zoom. NaN counts as
    zero, since it is marked separately.
    """
    levels = [heat]
    coarse = heat
    while max(coarse.shape) > 2 * COARSEST:
        coarse = _halved(coarse)
        levels.append(coarse)
    return tuple(levels)


def _halved(heat: Floats) -> Floats:
    known = np.where(np.isnan(heat), 0.0, heat)
    for axis in (0, 1):
        size = known.shape[axis]
        if size > 1:
            starts = np.arange(0, size, 2)
            high = np.maximum.reduceat(known, starts, axis=axis)
            low = np.minimum.reduceat(known, starts, axis=axis)
            known = np.where(high >= -low, high, low)
    return known

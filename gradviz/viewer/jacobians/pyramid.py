"""A large matrix at coarser and coarser levels, in which no peak is lost."""

from __future__ import annotations

import numpy as np

from gradviz.drawing.heat import Floats

COARSEST = 128
"""No level is made that is smaller than this on its longer side."""

Levels = tuple[Floats, ...]
"""The matrix itself, then each level with half the rows and columns of the one before."""


def levels_of(heat: Floats) -> Levels:
    """All levels of a matrix.

    An element of a level is, of the two by two below it, the one with the largest magnitude: so a
    thin diagonal, or a single wrong element, is seen from however far. NaN counts as zero, since
    it is marked on its own.
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

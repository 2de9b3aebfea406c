"""Coarser and coarser levels of a large matrix that keep every peak."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import HeatValues
from gradviz.viewer.tensor_view.value_marks import cells_where, thinned

CellIndices = npt.NDArray[np.int64]
"""Row and column of each cell, ``[n, 2]``."""

_LISTED = 4096
"""Maximum number of cells kept as a list; more are kept in levels of halved resolution."""

_COARSEST = 64


class CellMarks:
    """The cells where a mask is True.

    A query costs about as much as there are blocks in its area, however many cells are marked:
    each level keeps the first marked cell of every block of two by two cells.
    """

    def __init__(self, mask: npt.NDArray[np.bool_]) -> None:
        """Build the lookup from the mask, ``[rows, columns]``."""
        self._shape = mask.shape
        self.count = int(np.count_nonzero(mask))
        self._cells = cells_where(mask) if self.count <= _LISTED else _NONE
        self._levels = _levels(mask) if self.count > _LISTED else []
        self._last: tuple[tuple[Any, ...], CellIndices] = ((), _NONE)

    @property
    def cells(self) -> CellIndices:
        """All marked cells."""
        return self._cells if not self._levels else _listed(self._levels[0], self._shape[1])

    def within(
        self, rows: range, columns: range, block_size: tuple[float, float] = (1, 1)
    ) -> CellIndices:
        """Return one marked cell of each block in an area.

        Args:
            rows: Rows of the area.
            columns: Columns of the area.
            block_size: Rows and columns of a block.
        """
        key = (rows, columns, block_size)
        # The three maps show the same area, so they ask for the same marks one after another.
        if self._last[0] != key:
            self._last = key, self._found(rows, columns, block_size)
        return self._last[1]

    def _found(self, rows: range, columns: range, block_size: tuple[float, float]) -> CellIndices:
        cells = self._cells
        if self._levels:
            level = max(0, min(int(np.log2(max(1.0, min(block_size)))), len(self._levels) - 1))
            side = 1 << level
            part = self._levels[level][
                rows.start // side : -(-rows.stop // side),
                columns.start // side : -(-columns.stop // side),
            ]
            cells = _listed(
                _merged(part, max(block_size[0], 1) / side, max(block_size[1], 1) / side),
                self._shape[1],
            )
        inside = (cells[:, 0] >= rows.start) & (cells[:, 0] < rows.stop)
        inside &= (cells[:, 1] >= columns.start) & (cells[:, 1] < columns.stop)
        return thinned(cells[inside], *block_size)


_NONE: CellIndices = np.empty((0, 2), dtype=np.int64)
_NOWHERE = np.iinfo(np.int32).max


def _levels(mask: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.int32]]:
    """Flat position of the first marked cell of each block, at each level."""
    places = np.arange(mask.size, dtype=np.int32).reshape(mask.shape)
    # The largest number, so that the minimum of a block is a marked cell if it has any.
    places[~mask] = _NOWHERE
    levels = [places]
    while max(levels[-1].shape) > 2 * _COARSEST:
        levels.append(_merged(levels[-1], 2, 2))
    return levels


def _merged(places: npt.NDArray[np.int32], rows: float, columns: float) -> npt.NDArray[np.int32]:
    for axis, size in ((0, int(rows)), (1, int(columns))):
        if size > 1 and places.shape[axis] > 1:
            starts = np.arange(0, places.shape[axis], size)
            places = np.minimum.reduceat(places, starts, axis=axis)
    return places


def _listed(places: npt.NDArray[np.int32], columns: int) -> CellIndices:
    flat = places[places != _NOWHERE].astype(np.int64)
    return np.stack(np.divmod(flat, max(1, columns)), axis=1)


COARSEST = 128
"""Minimum length of a level's longer side."""

Levels = tuple[HeatValues, ...]
"""The matrix itself, then levels with half the rows and columns of the previous one."""


def levels_of(heat: HeatValues) -> Levels:
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


def _halved(heat: HeatValues) -> HeatValues:
    known = np.where(np.isnan(heat), 0.0, heat)
    for axis in (0, 1):
        size = known.shape[axis]
        if size > 1:
            starts = np.arange(0, size, 2)
            high = np.maximum.reduceat(known, starts, axis=axis)
            low = np.minimum.reduceat(known, starts, axis=axis)
            # Of two neighbors, keep the one farther from zero.
            known = np.where(high >= -low, high, low)
    return known

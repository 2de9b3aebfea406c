"""Which cells have a mark, and coarser and coarser levels of a large plane that keep every peak."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import HeatValues

CellIndices = npt.NDArray[np.int64]
"""Row and column of each cell, ``[n, 2]``."""

NonFiniteRole = Literal["nan", "positive_infinity", "negative_infinity"]
"""The color role of a value beyond any color scale."""

NON_FINITE: tuple[NonFiniteRole, ...] = get_args(NonFiniteRole)

_LISTED = 4096
"""Maximum number of cells kept as a list; more are kept in levels of halved resolution."""

_COARSEST = 64


def non_finite_role(heat: float) -> NonFiniteRole | None:
    """The role of a value; None for a finite one."""
    if np.isfinite(heat):
        return None
    if np.isnan(heat):
        return "nan"
    return "positive_infinity" if heat > 0 else "negative_infinity"


def cells_where(mask: npt.NDArray[np.bool_]) -> CellIndices:
    """Row and column of each True, ``[n, 2]``; faster than ``argwhere`` if few are True."""
    flat = np.flatnonzero(mask)
    found = np.empty((len(flat), 2), np.int64)
    np.divmod(flat, max(1, mask.shape[1]), out=(found[:, 0], found[:, 1]))
    return found


def _thinned(cells: CellIndices, rows: float, columns: float) -> CellIndices:
    """Keep one cell of each block of that size, since the marks of others would overlap."""
    if len(cells) == 0 or (rows <= 1 and columns <= 1):
        return cells
    blocks = np.floor(cells / np.array([max(1.0, rows), max(1.0, columns)]))
    _, first = np.unique(blocks.astype(np.int64), axis=0, return_index=True)
    return cells[np.sort(first)]


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
        self._levels = _mark_levels(mask) if self.count > _LISTED else []
        self._last: tuple[tuple[Any, ...], CellIndices] = ((), _NONE)

    @property
    def cells(self) -> CellIndices:
        """All marked cells."""
        return self._cells if not self._levels else _listed(self._levels[0], self._shape[1])

    def within(
        self, rows: range, columns: range, block_size: tuple[float, float] = (1, 1)
    ) -> CellIndices:
        """Return one marked cell of each block in an area."""
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
        return _thinned(cells[inside], *block_size)


_NONE: CellIndices = np.empty((0, 2), dtype=np.int64)
_NOWHERE = np.iinfo(np.int32).max


def _mark_levels(mask: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.int32]]:
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


class PooledHeat:
    """A plane at coarser and coarser resolutions, each computed once, when it is first needed.

    Each element is the one with the largest magnitude of its block, so a thin diagonal or a single
    wrong element stays visible at any zoom; an average would hide it. NaN counts as zero, since it
    is marked separately.
    """

    def __init__(self, heat: HeatValues) -> None:
        """Set the plane, ``[rows, columns]``."""
        self._made = {(0, 0): heat}

    def at(self, rows: int, columns: int) -> HeatValues:
        """The plane in blocks of ``2**rows`` rows by ``2**columns`` columns."""
        key = rows, columns
        if key not in self._made:
            # Along one path, so that most levels are made from finer ones that are there already.
            axis = 0 if rows > columns else 1
            finer = self.at(rows - 1, columns) if axis == 0 else self.at(rows, columns - 1)
            self._made[key] = _halved(finer, axis)
        return self._made[key]


def _halved(heat: HeatValues, axis: int) -> HeatValues:
    if heat.shape[axis] < 2:
        return heat
    known = np.where(np.isnan(heat), 0.0, heat)
    starts = np.arange(0, heat.shape[axis], 2)
    high = np.maximum.reduceat(known, starts, axis=axis)
    low = np.minimum.reduceat(known, starts, axis=axis)
    # Of two neighbors, keep the one farther from zero.
    chosen: HeatValues = np.where(high >= -low, high, low)
    return chosen

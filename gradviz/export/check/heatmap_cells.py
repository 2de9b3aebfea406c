"""Matrices of a pair as heatmap cells; large ones are pooled without losing peaks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import HeatValues, color_limit, color_values
from gradviz.export.check.worst_elements import JacobianMatrix
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.model.tolerance import tolerance_excess

MOST_CELLS = 300
"""Maximum number of cells per side; longer sides are pooled."""

CellMask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeatmapCells:
    """One heatmap of a pair.

    Attributes:
        name: ``numerical``, ``analytical`` or ``difference``.
        values: Values to write into the cells; None if the matrix is pooled.
        heat: Value of each cell ``[rows, columns]``; in a pooled matrix, the element with the
            largest magnitude.
        limit: Colors range from ``-limit`` to ``limit``.
    """

    name: str
    values: JacobianMatrix | None
    heat: HeatValues
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JacobianHeatmaps:
    """The three heatmaps of a pair.

    Attributes:
        block: The pair.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        cells: Numerical, analytical, difference.
        pooled: Number of matrix rows and columns per cell.
        wrong: Whether any element of a cell is outside the tolerance.
        worst: Cell of the worst element outside the tolerance; None if there is no such element.
        is_complex: Whether colors show magnitudes, because there are imaginary parts.
    """

    block: JacobianBlock
    atol: float
    rtol: float
    cells: tuple[HeatmapCells, ...]
    pooled: tuple[int, int]
    wrong: CellMask
    worst: tuple[int, int] | None
    is_complex: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of cells."""
        rows, columns = self.wrong.shape
        return int(rows), int(columns)


def jacobian_heatmaps(
    report: JacobianReport, block: JacobianBlock, values: TensorValues, most: int = MOST_CELLS
) -> JacobianHeatmaps | None:
    """Build the heatmaps of a pair; None if its matrices were not kept, or are empty.

    Args:
        report: The report with the tolerances.
        block: The pair.
        values: Reads the elements of a tensor by id.
        most: Maximum number of cells per side.
    """
    before, after = values(block.numerical), values(block.analytical)
    if before is None or after is None or block.count == 0:
        return None
    numerical, analytical = before.array(), after.array()
    with np.errstate(invalid="ignore", over="ignore"):
        difference = analytical - numerical
    wrong = tolerance_excess(analytical, numerical, atol=report.atol, rtol=report.rtol) > 1
    steps = (_step(numerical.shape[0], most), _step(numerical.shape[1], most))
    whole = steps == (1, 1)
    heats = [_colored(each) for each in (numerical, analytical, difference)]
    shared = color_limit(heats[0], heats[1])
    # A scale that ends below the tolerance would show mere noise in the strongest colors.
    limits = (shared, shared, max(color_limit(heats[2]), report.atol))
    named = zip(
        ("numerical", "analytical", "difference"),
        (numerical, analytical, difference),
        heats,
        limits,
        strict=True,
    )
    worst = block.worst
    return JacobianHeatmaps(
        block=block,
        atol=report.atol,
        rtol=report.rtol,
        cells=tuple(
            HeatmapCells(
                name=name, values=each if whole else None, heat=pooled(heat, steps), limit=limit
            )
            for name, each, heat, limit in named
        ),
        pooled=steps,
        wrong=pooled(wrong.astype(np.float64), steps) > 0,
        worst=None
        if worst is None or worst.excess <= 1
        else (worst.row // steps[0], worst.column // steps[1]),
        is_complex=bool(np.any(numerical.imag) or np.any(analytical.imag)),
    )


def pooled(heat: HeatValues, steps: tuple[int, int]) -> HeatValues:
    """Reduce each block to its element of largest magnitude; NaN and infinity come first."""
    for axis, step in enumerate(steps):
        if step > 1:
            heat = _pooled_along(heat, axis, step)
    return heat


def _pooled_along(heat: HeatValues, axis: int, step: int) -> HeatValues:
    starts = np.arange(0, heat.shape[axis], step)
    with np.errstate(invalid="ignore"):
        # maximum and minimum propagate NaN, and an infinity is larger than everything else.
        high = np.maximum.reduceat(heat, starts, axis=axis)
        low = np.minimum.reduceat(heat, starts, axis=axis)
        chosen: HeatValues = np.where(high >= -low, high, low)
    return np.where(np.isnan(high), np.nan, chosen)


def _step(length: int, most: int) -> int:
    return math.ceil(length / most)


def _colored(values: npt.NDArray[Any]) -> HeatValues:
    """Values to color; magnitudes only if a complex matrix really has imaginary parts."""
    if values.dtype.kind == "c" and not np.any(values.imag):
        values = values.real
    return color_values(values)

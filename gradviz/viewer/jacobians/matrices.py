"""The three matrices of one pair of output and input, ready to be painted and asked about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.drawing.heat import Floats, heat_of, limit_of
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValue
from gradviz.viewer.jacobians.pyramid import Levels, levels_of
from gradviz.viewer.tensor_view.marks import cells_where, marked_cells

NAMES = ("numerical", "analytical", "difference")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrices:
    """Numerical, analytical and difference, each ``[input elements, output elements]``.

    Attributes:
        block: What they are of.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        values: The three, in their own dtype; the difference is analytical minus numerical.
        heats: The three as they are coloured.
        levels: Each of the heats at coarser and coarser levels, for looking at it from afar.
        limits: End of each colour scale; numerical and analytical share theirs, that of the
            difference reaches at least to ``atol``.
        wrong: Row and column of each element outside the tolerance, ``[n, 2]``.
        odd: Of each of the three: row and column of what is not finite, ``[n, 2]``.
    """

    block: JacobianBlock
    atol: float
    rtol: float
    values: tuple[npt.NDArray[Any], ...]
    heats: tuple[Floats, ...]
    levels: tuple[Levels, ...]
    limits: tuple[float, ...]
    wrong: npt.NDArray[np.int64]
    odd: tuple[npt.NDArray[np.int64], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.values[0].shape
        return int(rows), int(columns)

    @property
    def worst(self) -> tuple[int, int] | None:
        """Row and column of the worst element that is outside the tolerance."""
        worst = self.block.worst
        return None if worst is None or worst.excess <= 1 else (worst.row, worst.column)

    def input_index(self, row: int) -> tuple[int, ...]:
        """A row as an index into the input."""
        return _index(row, self.block.input_shape)

    def output_index(self, column: int) -> tuple[int, ...]:
        """A column as an index into the output."""
        return _index(column, self.block.output_shape)

    def excess(self, row: int, column: int) -> float:
        """How many tolerances the two values differ by; over 1 is outside."""
        numerical, analytical = (complex(self.values[at][row, column]) for at in (0, 1))
        allowed = self.atol + self.rtol * abs(numerical)
        apart = abs(analytical - numerical)
        if not math.isfinite(apart):
            return math.inf
        if allowed == 0:
            return math.inf if apart else 0.0
        return apart / allowed


def matrices_of(
    report: JacobianReport,
    block: JacobianBlock,
    numerical: TensorValue,
    analytical: TensorValue,
) -> Matrices:
    """Prepares one block of a report."""
    before, after = numerical.array(), analytical.array()
    with np.errstate(invalid="ignore", over="ignore"):
        difference = after - before
        allowed = np.abs(before)
        allowed *= report.rtol
        allowed += report.atol
        # Written so that NaN counts as wrong.
        inside = np.abs(difference) <= allowed
    heats = tuple(_shown(each) for each in (before, after, difference))
    shared = limit_of(before, after)
    return Matrices(
        block=block,
        atol=report.atol,
        rtol=report.rtol,
        values=(before, after, difference),
        heats=heats,
        levels=tuple(levels_of(heat) for heat in heats),
        # A scale that ends below the tolerance would paint mere noise in the strongest colours.
        limits=(shared, shared, max(limit_of(difference), report.atol)),
        wrong=cells_where(~inside),
        odd=tuple(marked_cells(heat) for heat in heats),
    )


def _shown(values: npt.NDArray[Any]) -> Floats:
    """Colour by value; by magnitude only where a complex matrix really has imaginary parts."""
    if values.dtype.kind == "c" and not np.any(values.imag):
        values = values.real
    return heat_of(values)


def _index(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(place) for place in np.unravel_index(position, shape)) if shape else ()

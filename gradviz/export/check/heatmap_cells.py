"""The matrices of a pair as cells, for figures and the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.drawing.appearance.color_map import color_limit
from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.drawing.cells.cells import CellColors, Cells, matrix_cells
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.model.tolerance import tolerance_excess

MATRICES = ("numerical", "analytical", "difference")
"""Names of the cells of `JacobianHeatmaps`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JacobianHeatmaps:
    """The three heatmaps of a pair.

    Attributes:
        block: The pair.
        cells: Numerical, analytical, difference.
        wrong: Elements outside the tolerance.
        worst: The worst element outside the tolerance; None if there is no such element.
        is_complex: Whether colors show magnitudes, because there are imaginary parts.
    """

    block: JacobianBlock
    cells: tuple[Cells, Cells, Cells]
    wrong: CellMarks
    worst: tuple[int, int] | None
    is_complex: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.cells[0].shape


def jacobian_heatmaps(
    report: JacobianReport, block: JacobianBlock, values: TensorValues
) -> JacobianHeatmaps | None:
    """Build the heatmaps of a pair; None if its matrices were not kept, or are empty.

    Args:
        report: The report with the tolerances.
        block: The pair.
        values: Reads the elements of a tensor by id.
    """
    before, after = values(block.numerical), values(block.analytical)
    if before is None or after is None or block.count == 0:
        return None
    numerical, analytical = before.array(), after.array()
    with np.errstate(invalid="ignore", over="ignore"):
        difference = analytical - numerical
    wrong = tolerance_excess(analytical, numerical, atol=report.atol, rtol=report.rtol) > 1
    shared = CellColors(limit=color_limit(numerical, analytical))
    # A scale that ends below the tolerance would show mere noise in the strongest colors.
    third = CellColors(limit=max(color_limit(difference), report.atol))
    worst = block.worst
    return JacobianHeatmaps(
        block=block,
        cells=(
            matrix_cells(numerical, shared),
            matrix_cells(analytical, shared),
            matrix_cells(difference, third),
        ),
        wrong=CellMarks(wrong),
        worst=None if worst is None or worst.excess <= 1 else (worst.row, worst.column),
        is_complex=bool(np.any(numerical.imag) or np.any(analytical.imag)),
    )

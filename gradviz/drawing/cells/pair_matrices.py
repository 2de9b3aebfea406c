"""The matrices of one pair of output and input, prepared for painting and queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import color_limit
from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.drawing.cells.cells import CellColors, Cells, matrix_cells, with_colors
from gradviz.drawing.cells.jacobian_structure import JacobianStructure, structure_of
from gradviz.drawing.cells.matrix_comparison import (
    BadElement,
    MatrixDifferences,
    compare_matrices,
)
from gradviz.drawing.cells.tensor_axis import block_axes
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValue, TensorValues
from gradviz.model.tolerance import tolerance_excess

MATRICES = ("numerical", "analytical", "difference")
"""Names of the three maps where nothing else is chosen."""

MatrixSource = Literal["numerical", "analytical", "forward", "reference", "repaired"]
ThirdMap = Literal["difference", "tolerance", "spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixChoice:
    """What the three maps show.

    Attributes:
        base: First matrix, to which the tolerance is relative.
        other: Second matrix.
        third: Third map: the ``difference`` of the two, the difference as a multiple of the
            ``tolerance``, or the ``spread`` of repeated backward passes.
        zeros: Whether exact zeros are highlighted.
    """

    base: MatrixSource = "numerical"
    other: MatrixSource = "analytical"
    third: ThirdMap = "difference"
    zeros: bool = False


def tensor_of(report: JacobianReport, block: JacobianBlock, source: MatrixSource) -> int | None:
    """Number of the tensor that holds a matrix; None if the pair has none."""
    if source == "numerical":
        return block.numerical
    if source == "analytical":
        return block.analytical
    if source == "forward":
        return block.forward
    if source == "reference":
        return block.reference
    repairs = [each.repair for each in report.diagnoses_of(block) if each.repair is not None]
    return repairs[0].matrix if repairs else None


def bases_of(block: JacobianBlock) -> tuple[MatrixSource, ...]:
    """Possible choices for the first map."""
    return ("numerical",) if block.reference is None else ("numerical", "reference")


def others_of(report: JacobianReport, block: JacobianBlock) -> tuple[MatrixSource, ...]:
    """Possible choices for the second map."""
    sources: tuple[MatrixSource, ...] = ("analytical", "repaired", "reference", "forward")
    return tuple(each for each in sources if tensor_of(report, block, each) is not None)


def thirds_of(block: JacobianBlock) -> tuple[ThirdMap, ...]:
    """Possible choices for the third map."""
    both: tuple[ThirdMap, ...] = ("difference", "tolerance")
    return both if block.spread is None else (*both, "spread")


def possible(choice: MatrixChoice, report: JacobianReport, block: JacobianBlock) -> MatrixChoice:
    """The choice, with defaults for what the pair does not have."""
    first = MatrixChoice()
    return MatrixChoice(
        base=choice.base if choice.base in bases_of(block) else first.base,
        other=choice.other if choice.other in others_of(report, block) else first.other,
        third=choice.third if choice.third in thirds_of(block) else first.third,
        zeros=choice.zeros,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairMatrices:
    """The three maps of a pair.

    Attributes:
        block: The pair.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the first matrix.
        choice: What the maps show.
        comparison: Comparison of the second matrix with the first.
        layers: The three maps. The first two share a color scale.
        reach: Minimum limit of the difference's scale. It covers ``atol`` and the difference of
            numerical and analytical, so that a repair visibly reduces the difference.
        structures: Structure of the first and the second matrix.
    """

    block: JacobianBlock
    atol: float
    rtol: float
    choice: MatrixChoice
    comparison: MatrixDifferences
    layers: tuple[Cells, ...]
    reach: float
    structures: tuple[JacobianStructure, JacobianStructure]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        rows, columns = self.layers[0].values.shape
        return int(rows), int(columns)

    @property
    def is_complex(self) -> bool:
        """Whether colors show magnitudes, because there are imaginary parts."""
        return any(bool(np.any(each.values.imag)) for each in self.layers[:2])

    @property
    def wrong(self) -> CellMarks:
        """Elements outside the tolerance."""
        return self.comparison.wrong

    @property
    def worst_elements(self) -> tuple[BadElement, ...]:
        """Elements with the largest errors; see `MatrixDifferences`."""
        return self.comparison.worst

    @property
    def worst(self) -> tuple[int, int] | None:
        """Row and column of the worst element; None if all are within the tolerance."""
        worst = self.worst_elements[0] if self.worst_elements else None
        return None if worst is None or worst.excess <= 1 else (worst.row, worst.column)

    def input_index(self, row: int) -> tuple[int, ...]:
        """Index into the input for a row."""
        return block_axes(self.block)[0].index(row)

    def output_index(self, column: int) -> tuple[int, ...]:
        """Index into the output for a column."""
        return block_axes(self.block)[1].index(column)

    def excess(self, row: int, column: int) -> float:
        """Error of an element as a multiple of the tolerance; more than 1 is outside."""
        base, other = (each.values[row, column] for each in self.layers[:2])
        return float(tolerance_excess(other, base, atol=self.atol, rtol=self.rtol))

    def difference(self, row: int, column: int) -> Any:
        """Second value of an element minus the first."""
        # A failed check can contain infinite elements; numpy would warn about inf - inf.
        with np.errstate(invalid="ignore", over="ignore"):
            return self.layers[1].values[row, column] - self.layers[0].values[row, column]


def read_matrices(
    report: JacobianReport,
    block: JacobianBlock,
    read: TensorValues,
    choice: MatrixChoice | None = None,
) -> PairMatrices | None:
    """Read and prepare the chosen matrices of a block; None if one was not kept.

    This takes a second or two for a few million elements.
    """
    choice = possible(choice or MatrixChoice(), report, block)
    base = _read(read, tensor_of(report, block, choice.base))
    other = _read(read, tensor_of(report, block, choice.other))
    spread = _read(read, block.spread) if choice.third == "spread" else None
    if base is None or other is None or (choice.third == "spread" and spread is None):
        return None
    limit = 0.0
    if (choice.base, choice.other) != ("numerical", "analytical"):
        first = _read(read, block.numerical), _read(read, block.analytical)
        if first[0] is not None and first[1] is not None:
            with np.errstate(invalid="ignore", over="ignore"):
                limit = color_limit(first[1].array() - first[0].array())
    return matrices_of(report, block, base, other, choice, spread=spread, limit=limit)


def matrices_of(
    report: JacobianReport,
    block: JacobianBlock,
    base: TensorValue,
    other: TensorValue,
    choice: MatrixChoice | None = None,
    *,
    spread: TensorValue | None = None,
    limit: float = 0.0,
) -> PairMatrices:
    """Prepare two matrices of a block for the maps.

    Args:
        report: Report with the tolerances.
        block: Block of the report.
        base: First matrix.
        other: Second matrix.
        choice: What the maps show.
        spread: Third map, if `choice` asks for the spread.
        limit: Minimum limit of the difference's scale.
    """
    choice = choice or MatrixChoice()
    before, after = base.array(), other.array()
    found = compare_matrices(before, after, report.atol, report.rtol)
    shared = CellColors(limit=color_limit(before, after), zeros=choice.zeros)
    shapes = block.input_shape, block.output_shape
    # A scale that ends below the tolerance would show mere noise in the strongest colors.
    reach = max(color_limit(found.difference), report.atol, limit)
    third = _third(choice, found, reach) if spread is None else _spread(choice, spread)
    return PairMatrices(
        block=block,
        atol=report.atol,
        rtol=report.rtol,
        choice=choice,
        comparison=found,
        layers=(_layer(before, shared), _layer(after, shared), third),
        reach=reach,
        structures=(structure_of(before, *shapes), structure_of(after, *shapes)),
    )


def choose_matrices(matrices: PairMatrices, choice: MatrixChoice) -> PairMatrices | None:
    """The same matrices with another choice; None if other matrices must be read."""
    before = matrices.choice
    # The spread is a tensor of its own, while the other third maps are computed from the first two.
    if (before.base, before.other) != (choice.base, choice.other) or choice.third == "spread":
        return None
    zeros = matrices.layers if before.zeros == choice.zeros else _marked(matrices, choice)
    third = zeros[2]
    if before.third != choice.third:
        third = _third(choice, matrices.comparison, matrices.reach)
    return replace(matrices, choice=choice, layers=(*zeros[:2], third))


def with_zeros(matrices: PairMatrices, zeros: bool) -> PairMatrices:
    """The same matrices, with exact zeros highlighted or not."""
    choice = replace(matrices.choice, zeros=zeros)
    return replace(matrices, choice=choice, layers=_marked(matrices, choice))


def _marked(matrices: PairMatrices, choice: MatrixChoice) -> tuple[Cells, ...]:
    signed = (layer.colors.scale == "signed" for layer in matrices.layers)
    return tuple(
        with_colors(layer, replace(layer.colors, zeros=choice.zeros and each))
        for layer, each in zip(matrices.layers, signed, strict=True)
    )


def _third(choice: MatrixChoice, found: MatrixDifferences, reach: float) -> Cells:
    if choice.third == "tolerance":
        limit = color_limit(found.excess)
        colors = CellColors(limit=limit, scale="tolerance")
        return _layer(found.excess, colors)
    return _layer(found.difference, CellColors(limit=reach, zeros=choice.zeros))


def _spread(choice: MatrixChoice, spread: TensorValue) -> Cells:
    values = spread.array()
    return _layer(values, CellColors(limit=color_limit(values), zeros=choice.zeros))


def _read(read: TensorValues, tensor: int | None) -> TensorValue | None:
    return None if tensor is None else read(tensor)


def _layer(values: npt.NDArray[Any], colors: CellColors) -> Cells:
    cells = matrix_cells(values, colors)
    # Here, as the window would have to wait for it.
    cells.pool()
    return cells

"""The matrices of one pair of output and input: compared, and prepared for painting and queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import color_limit
from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.drawing.cells.cells import CellColors, Cells, matrix_cells, with_colors
from gradviz.drawing.cells.tensor_axis import block_axes
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValue, TensorValues
from gradviz.model.tolerance import tolerance_excess

StructureKind = Literal["zero", "identity", "diagonal", "blocks", "banded", "dense", "sparse"]

_SMALLEST_BAND = 8
"""In a smaller matrix, elements near the diagonal mean little."""

_BAND_SHARE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JacobianStructure:
    """Sparsity structure of a matrix.

    Attributes:
        zeros: Number of elements that are exactly zero.
        count: Number of all elements.
        kind: Structure; ``sparse`` if there are zeros but no other structure was found.
        blocks: For ``blocks``: number of blocks on the diagonal, and rows and columns of each.
        band: For ``banded``: number of diagonals on either side of the main one.
    """

    zeros: int
    count: int
    kind: StructureKind
    blocks: tuple[int, int, int] = (0, 0, 0)
    band: int = 0


def structure_of(
    values: npt.NDArray[Any], input_shape: tuple[int, ...], output_shape: tuple[int, ...]
) -> JacobianStructure:
    """Find the structure of a matrix ``[input elements, output elements]``.

    Args:
        values: The matrix.
        input_shape: Shape of the input.
        output_shape: Shape of the output. Its leading dimensions in common with the input, such as
            the batch, determine the blocks that are tried.
    """
    rows, columns = values.shape
    filled = values != 0
    count, zeros = values.size, values.size - int(np.count_nonzero(filled))

    def found(
        kind: StructureKind, blocks: tuple[int, int, int] = (0, 0, 0), band: int = 0
    ) -> JacobianStructure:
        return JacobianStructure(zeros=zeros, count=count, kind=kind, blocks=blocks, band=band)

    if zeros == count:
        return found("zero")
    if zeros == 0:
        return found("dense")
    diagonal = values.diagonal()
    # Counting is enough: if the diagonal has all nonzero elements, the others are zero.
    if rows == columns and count - zeros == np.count_nonzero(diagonal):
        return found("identity" if (diagonal == 1).all() else "diagonal")
    blocks = _blocks(filled, count - zeros, _common(input_shape, output_shape))
    if blocks is not None:
        return found("blocks", blocks)
    band = _band(filled) if rows == columns and rows >= _SMALLEST_BAND else rows
    if _BAND_SHARE * (2 * band + 1) <= rows:
        return found("banded", band=band)
    return found("sparse")


def _common(first: tuple[int, ...], second: tuple[int, ...]) -> list[int]:
    """Possible numbers of blocks from common leading dimensions, largest first."""
    found, product = [], 1
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        product *= one
        found.append(product)
    return [each for each in reversed(found) if each > 1]


def _blocks(
    filled: npt.NDArray[np.bool_], nonzero: int, counts: list[int]
) -> tuple[int, int, int] | None:
    rows, columns = filled.shape
    for count in counts:
        if rows % count or columns % count:
            continue
        shape = (count, rows // count, count, columns // count)
        # The repeated index selects the blocks on the diagonal, without a copy.
        inside = np.einsum("abac->abc", filled.reshape(shape))
        if np.count_nonzero(inside) == nonzero:
            return count, rows // count, columns // count
    return None


def _band(filled: npt.NDArray[np.bool_]) -> int:
    """Largest distance of a nonzero element from the main diagonal."""
    size = len(filled)
    some = np.asarray(filled.any(axis=1))
    first = filled.argmax(axis=1)
    # `argmax` finds the first True, so search the reversed rows for the last one.
    last = size - 1 - filled[:, ::-1].argmax(axis=1)
    places = np.flatnonzero(some)
    return int(np.maximum(np.abs(first[places] - places), np.abs(last[places] - places)).max())


MOST_WORST = 20
"""Maximum number of listed elements."""

_LARGEST = np.finfo(np.float32).max
_JUST_OUTSIDE = float(np.nextafter(np.float32(1), np.float32(2)))


@dataclass(frozen=True, slots=True, kw_only=True)
class BadElement:
    """An element and its error as a multiple of the tolerance; more than 1 is outside."""

    row: int
    column: int
    excess: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatrixDifferences:
    """Result of comparing two matrices.

    Attributes:
        difference: Second matrix minus first.
        excess: Error of each element as a multiple of the tolerance, ``[rows, columns]``; inf for
            NaN.
        wrong: Elements outside the tolerance.
        worst: Up to `MOST_WORST` elements outside the tolerance, largest error first; if all are
            inside, those with the largest errors.
    """

    difference: npt.NDArray[Any]
    excess: npt.NDArray[np.float32]
    wrong: CellMarks
    worst: tuple[BadElement, ...]


def compare_matrices(
    base: npt.NDArray[Any], other: npt.NDArray[Any], atol: float, rtol: float
) -> MatrixDifferences:
    """Compare all elements of two matrices.

    Args:
        base: Matrix that the tolerance is relative to, ``[rows, columns]``.
        other: Matrix of the same shape.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the magnitude of ``base``.
    """
    exact = tolerance_excess(other, base, atol=atol, rtol=rtol)
    outside = exact > 1
    worst = _worst(exact, outside)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = other - base
        excess = exact.astype(np.float32)
    # Too large for float32, but finite; infinity means that a value is not finite.
    np.copyto(excess, _LARGEST, where=np.isinf(excess) & np.isfinite(exact))
    # Rounding must not move an element across the limit.
    np.maximum(excess, _JUST_OUTSIDE, out=excess, where=outside)
    return MatrixDifferences(
        difference=difference, excess=excess, wrong=CellMarks(outside), worst=worst
    )


def _worst(excess: npt.NDArray[Any], outside: npt.NDArray[np.bool_]) -> tuple[BadElement, ...]:
    places = np.flatnonzero(outside)
    if not len(places):
        places = np.flatnonzero(excess > 0)
    values = excess.reshape(-1)[places]
    if len(places) > MOST_WORST:
        # Far faster than sorting all elements, of which there can be millions.
        edge = np.partition(values, len(values) - MOST_WORST)[len(values) - MOST_WORST]
        above = np.flatnonzero(values > edge)
        level = np.flatnonzero(values == edge)[: MOST_WORST - len(above)]
        chosen = np.concatenate([above, level])
        places, values = places[chosen], values[chosen]
    # Ties keep row-major order, as in the report.
    order = np.lexsort((places, -values))
    columns = max(1, excess.shape[1])
    return tuple(
        BadElement(row=int(at // columns), column=int(at % columns), excess=float(value))
        for at, value in zip(places[order], values[order], strict=True)
    )


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

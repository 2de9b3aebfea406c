"""Prepares matrices that are still being computed for painting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy.typing as npt

from gradviz.drawing.appearance.color_map import color_limit
from gradviz.drawing.cells.cells import CellColors, Cells, matrix_cells
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.model.tensor import TensorValue

MOST_PAIRS = 3
"""Maximum number of painted pairs."""

PartialMapKind = Literal["numerical", "analytical"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialMap:
    """One matrix, as far as it has been computed.

    Attributes:
        kind: ``numerical`` grows by rows, ``analytical`` by columns.
        shape: Rows and columns of the complete matrix.
        cells: Computed part, on the color scale that both matrices of a pair share.
    """

    kind: PartialMapKind
    shape: tuple[int, int]
    cells: Cells

    @property
    def known(self) -> tuple[int, int]:
        """Rows and columns computed so far."""
        return self.cells.shape


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialPair:
    """One pair of output and input that has not been compared yet.

    Attributes:
        block: Block of the pair.
        maps: Numerical and analytical.
    """

    block: JacobianBlock
    maps: tuple[PartialMap, PartialMap]


def partial_pairs(
    blocks: tuple[JacobianBlock, ...], values: Mapping[int, TensorValue]
) -> tuple[PartialPair, ...]:
    """Prepare the pairs that have computed values, the most complete first.

    Args:
        blocks: Blocks of an unfinished report.
        values: Their matrices, by tensor number.
    """
    pairs = [_pair(block, values) for block in blocks if _is_available(block, values)]
    pairs.sort(key=_share, reverse=True)
    return tuple(pairs[:MOST_PAIRS])


def _is_available(block: JacobianBlock, values: Mapping[int, TensorValue]) -> bool:
    return block.numerical in values and block.analytical in values


def _pair(block: JacobianBlock, values: Mapping[int, TensorValue]) -> PartialPair:
    arrays = values[block.numerical].array(), values[block.analytical].array()
    # Numerical rows and analytical columns are complete, so each gives one side of the shape.
    shape = arrays[1].shape[0], arrays[0].shape[1]
    colors = CellColors(limit=color_limit(*arrays))
    kinds: tuple[PartialMapKind, PartialMapKind] = ("numerical", "analytical")
    first, second = (
        PartialMap(kind=kind, shape=shape, cells=_pooled(values, colors))
        for kind, values in zip(kinds, arrays, strict=True)
    )
    return PartialPair(block=block, maps=(first, second))


def _pooled(values: npt.NDArray[Any], colors: CellColors) -> Cells:
    cells = matrix_cells(values, colors)
    cells.pool()
    return cells


def _share(pair: PartialPair) -> float:
    """Fraction of the numerical rows computed; pairs in progress come before waiting ones."""
    (rows, _), known = pair.maps[0].shape, pair.maps[0].known
    return known[0] / rows if rows else 0.0

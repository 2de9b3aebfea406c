"""Compares two matrices element by element with gradcheck's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.model.tolerance import tolerance_excess

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

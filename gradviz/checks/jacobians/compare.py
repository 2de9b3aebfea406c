"""Comparison of two Jacobians by the rule of ``torch.allclose``, with the worst element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gradviz.model.jacobian_report import WorstElement
from gradviz.model.tolerance import tolerance_excess

_CHUNK_ELEMENTS = 30_000
"""Elements compared at a time: few enough for the CPU cache, and too few for torch to
split among threads, which would wait for each other.
"""


_SURELY_CLOSE = 0.9
"""Below this excess, rounding cannot make `torch.isclose` return False, even in float16."""


@dataclass(frozen=True, slots=True)
class MatrixComparison:
    """Result of comparing two matrices.

    Attributes:
        wrong: Number of elements outside the tolerance.
        worst: The worst element; None for empty matrices.
    """

    wrong: int
    worst: WorstElement | None


def compare(
    analytical: Tensor,
    numerical: Tensor,
    *,
    atol: float,
    rtol: float,
    input_shape: tuple[int, ...],
    output_shape: tuple[int, ...],
) -> MatrixComparison:
    """Compare element by element: ``|a - n| <= atol + rtol * |n|``; NaN never matches.

    Args:
        analytical: ``[input elements, output elements]``.
        numerical: Same shape.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        input_shape: Shape of the input, to convert a row to an index.
        output_shape: Shape of the output, to convert a column to an index.
    """
    common = torch.promote_types(analytical.dtype, numerical.dtype)
    ours, theirs = analytical.to("cpu", common), numerical.to("cpu", common)
    if ours.numel() == 0:
        return MatrixComparison(0, None)
    # Below every excess, so that even an exact match has a worst element.
    wrong, worst_place = 0, (0, 0, -1.0)
    rows = max(1, _CHUNK_ELEMENTS // ours.shape[1])
    for start in range(0, ours.shape[0], rows):
        a, n = ours[start : start + rows], theirs[start : start + rows]
        row, column, excess = _worst(a, n, atol, rtol)
        if excess > worst_place[2]:
            worst_place = (start + row, column, excess)
        if excess > _SURELY_CLOSE:
            close = torch.isclose(a, n, rtol=rtol, atol=atol)
            wrong += close.numel() - int(close.count_nonzero())
    row, column, excess = worst_place
    worst = WorstElement(
        row=row,
        column=column,
        input_index=_index(row, input_shape),
        output_index=_index(column, output_shape),
        analytical=complex(ours[row, column].item()),
        numerical=complex(theirs[row, column].item()),
        excess=excess,
    )
    return MatrixComparison(wrong, worst)


def _worst(
    analytical: Tensor, numerical: Tensor, atol: float, rtol: float
) -> tuple[int, int, float]:
    """Row, column and `tolerance_excess` of the worst element."""
    wide = torch.complex128 if analytical.is_complex() else torch.float64
    a, n = (each.to(wide).numpy(force=True).reshape(-1) for each in (analytical, numerical))
    differs = a != n
    places = None
    # Most elements of most Jacobians are 0 in both matrices, and the excess of equal ones is 0.
    if np.count_nonzero(differs) < len(a) // 8:
        places = np.flatnonzero(differs)
        a, n = a[places], n[places]
    excess = tolerance_excess(a, n, atol=atol, rtol=rtol)
    if places is not None and not excess.any():
        return 0, 0, 0.0
    # argmax returns the first of equal maxima: in row-major order the lowest row, then column.
    largest = int(excess.argmax())
    place = largest if places is None else int(places[largest])
    row, column = divmod(place, analytical.shape[1])
    return row, column, float(excess[largest])


def _index(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(position, shape)) if shape else ()

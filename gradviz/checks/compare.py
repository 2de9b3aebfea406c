"""Compares two Jacobians by the rule of ``torch.allclose`` and names the worst element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gradviz.model.jacobian import WorstElement


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing two matrices showed.

    Attributes:
        wrong: Number of elements outside the tolerance.
        worst: None for empty matrices.
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
) -> Comparison:
    """Compares element by element: ``|a - n| <= atol + rtol * |n|``, and NaN equals nothing.

    Args:
        analytical: ``[input elements, output elements]``.
        numerical: Likewise.
        atol: Absolute tolerance.
        rtol: Tolerance relative to the numerical value.
        input_shape: Sizes of the input, to name the row.
        output_shape: Sizes of the output, to name the column.
    """
    common = torch.promote_types(analytical.dtype, numerical.dtype)
    ours, theirs = analytical.to("cpu", common), numerical.to("cpu", common)
    close = torch.isclose(ours, theirs, rtol=rtol, atol=atol)
    if close.numel() == 0:
        return Comparison(0, None)
    excess = _excess(ours, theirs, atol, rtol)
    # argmax takes the first of equals, which in row-major order is the least row, then column.
    row, column = divmod(int(excess.flatten().argmax()), close.shape[1])
    worst = WorstElement(
        row=row,
        column=column,
        input_index=_index(row, input_shape),
        output_index=_index(column, output_shape),
        analytical=complex(ours[row, column].item()),
        numerical=complex(theirs[row, column].item()),
        excess=float(excess[row, column]),
    )
    return Comparison(close.numel() - int(close.count_nonzero()), worst)


def _excess(analytical: Tensor, numerical: Tensor, atol: float, rtol: float) -> Tensor:
    """``|a - n| / (atol + rtol * |n|)`` in float64: 0 for equal ones, Inf where NaN is involved."""
    wide = torch.complex128 if analytical.is_complex() else torch.float64
    a, n = analytical.to(wide), numerical.to(wide)
    excess = (a - n).abs() / (atol + rtol * n.abs())
    excess = torch.where(excess.isnan(), torch.inf, excess)
    return torch.where(a == n, 0.0, excess)


def _index(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(k) for k in np.unravel_index(position, shape)) if shape else ()

"""Elements of a block that are furthest outside the tolerance, worst first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.export.check_words import index_of
from gradviz.model.jacobian import JacobianBlock, JacobianReport, WorstElement

Matrix = npt.NDArray[Any]


def excess_of(
    analytical: Matrix, numerical: Matrix, *, atol: float, rtol: float
) -> npt.NDArray[np.float64]:
    """Compute ``|a - n| / (atol + rtol * |n|)`` of each element; inf if it is undefined.

    Values over 1 are outside the tolerance. Equal values give 0, also equal infinities, as in
    ``allclose``.
    """
    with np.errstate(all="ignore"):
        apart = np.abs(analytical - numerical)
        excess: npt.NDArray[np.float64] = apart / (atol + rtol * np.abs(numerical))
    excess = np.where(np.isnan(excess), np.inf, excess)
    return np.where(analytical == numerical, 0.0, excess)


def worst_elements(
    block: JacobianBlock,
    report: JacobianReport,
    analytical: Matrix,
    numerical: Matrix,
    most: int = 5,
) -> tuple[WorstElement, ...]:
    """Worst elements outside the tolerance; ties are sorted by row, then column.

    Args:
        block: The block of the matrices.
        report: Report with the tolerances.
        analytical: ``[input elements, output elements]``.
        numerical: Same shape as ``analytical``.
        most: Maximum number of elements.
    """
    excess = excess_of(analytical, numerical, atol=report.atol, rtol=report.rtol).reshape(-1)
    wrong = np.flatnonzero(excess > 1)
    if wrong.size > most:
        # Elements equal to the last of the worst are kept here, so that ties keep their order.
        least = np.partition(excess[wrong], wrong.size - most)[wrong.size - most]
        wrong = wrong[excess[wrong] >= least]
    chosen = wrong[np.argsort(-excess[wrong], kind="stable")][:most]
    columns = numerical.shape[1]
    return tuple(
        _element(block, divmod(int(at), columns), analytical, numerical, float(excess[at]))
        for at in chosen
    )


def _element(
    block: JacobianBlock,
    place: tuple[int, int],
    analytical: Matrix,
    numerical: Matrix,
    excess: float,
) -> WorstElement:
    row, column = place
    return WorstElement(
        row=row,
        column=column,
        input_index=index_of(row, block.input_shape),
        output_index=index_of(column, block.output_shape),
        analytical=complex(analytical[row, column]),
        numerical=complex(numerical[row, column]),
        excess=excess,
    )

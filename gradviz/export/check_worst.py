"""The elements of a block that are furthest outside the tolerance, the worst first."""

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
    """``|a - n| / (atol + rtol * |n|)`` of each element; inf where it cannot be told.

    Over 1 is outside the tolerance. Equal values are 0, infinities too, as ``allclose`` has it.
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
    """Those outside the tolerance, at most so many; ties by row, then column.

    Args:
        block: What the matrices are of.
        report: Has the tolerances.
        analytical: ``[input elements, output elements]``.
        numerical: Likewise.
        most: How many at most.
    """
    excess = excess_of(analytical, numerical, atol=report.atol, rtol=report.rtol).reshape(-1)
    wrong = np.flatnonzero(excess > 1)
    if wrong.size > most:
        # Everything that is as bad as the last of the worst stays, so that ties keep their order.
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

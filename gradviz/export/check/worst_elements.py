"""Elements of a block that are furthest outside the tolerance, worst first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.export.check.element_names import index_of_position
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport, WorstElement
from gradviz.model.tolerance import tolerance_excess

JacobianMatrix = npt.NDArray[Any]


def worst_elements(
    block: JacobianBlock,
    report: JacobianReport,
    analytical: JacobianMatrix,
    numerical: JacobianMatrix,
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
    excess = tolerance_excess(analytical, numerical, atol=report.atol, rtol=report.rtol).reshape(-1)
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
    analytical: JacobianMatrix,
    numerical: JacobianMatrix,
    excess: float,
) -> WorstElement:
    row, column = place
    return WorstElement(
        row=row,
        column=column,
        input_index=index_of_position(row, block.input_shape),
        output_index=index_of_position(column, block.output_shape),
        analytical=complex(analytical[row, column]),
        numerical=complex(numerical[row, column]),
        excess=excess,
    )

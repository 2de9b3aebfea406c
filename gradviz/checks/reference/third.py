"""Third matrix of a block, from a reference implementation."""

from __future__ import annotations

import torch
from torch import Tensor

from gradviz.checks.findings import Findings
from gradviz.checks.listeners import MatrixSink
from gradviz.checks.matrices import matrix_value
from gradviz.model.check_settings import CheckSettings


def add_reference(
    place: tuple[int, int, str],
    matrix: Tensor,
    numerical: Tensor,
    sink: MatrixSink,
    settings: CheckSettings,
    findings: Findings,
) -> None:
    """Add the third matrix to a block, with the number of numerical elements off it.

    Args:
        place: Output, input, and part of the block.
        matrix: ``[input elements, output elements]``, from the reference implementation.
        numerical: The checked function's numerical Jacobian, of the same shape.
        sink: Stores the matrix.
        settings: The tolerances.
        findings: Contain the block.
    """
    numerical = numerical.to(matrix)
    close = torch.isclose(matrix, numerical, rtol=settings.rtol, atol=settings.atol)
    findings.amend(
        *place,
        reference=sink.store(matrix_value(matrix)),
        reference_wrong=close.numel() - int(close.count_nonzero()),
    )

"""Puts the Jacobians of a plain version into the blocks, beside the other two."""

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
    """Adds the third matrix to a block, and in how many elements the numerical one is off it.

    Args:
        place: Output, input and part of the block.
        matrix: ``[input elements, output elements]``, of the plain version.
        numerical: Likewise, of what is checked.
        sink: Keeps the matrix.
        settings: The tolerances.
        findings: Hold the block.
    """
    numerical = numerical.to(matrix)
    close = torch.isclose(matrix, numerical, rtol=settings.rtol, atol=settings.atol)
    findings.amend(
        *place,
        reference=sink.store(matrix_value(matrix)),
        reference_wrong=close.numel() - int(close.count_nonzero()),
    )

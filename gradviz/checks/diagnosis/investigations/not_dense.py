"""Diagnoses for inputs that are not dense: only a few causes are tested."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis


@yields("masked_gradient", "sparse_mismatch")
def diagnose_not_dense(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield a diagnosis for each pair that does not agree."""
    for pair in case.pairs:
        if _is_masked(pair):
            yield pair.diagnosis("masked_gradient.message", confidence="likely")
        else:
            yield pair.diagnosis("sparse_mismatch.message")


def _is_masked(pair: JacobianPair) -> bool:
    """Whether each row of the gradient is either correct or entirely zero."""
    rows = zip(pair.analytical, pair.numerical, strict=True)
    return not pair.analytical_is_zero and all(
        not bool(analytical.any()) or pair.agree(analytical, numerical)
        for analytical, numerical in rows
    )

"""Diagnoses for inputs that are not dense: only a few causes are tested."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.diagnoses.numbers.masked_gradient import MASKED_GRADIENT
from gradviz.catalogue.diagnoses.numbers.sparse_mismatch import SPARSE_MISMATCH
from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@yields(MASKED_GRADIENT, SPARSE_MISMATCH)
def diagnose_not_dense(case: DiagnosisCase) -> Iterator[Diagnosis]:
    """Yield a diagnosis for each pair that does not agree."""
    for pair in case.pairs:
        if _is_masked(pair):
            message = say("masked_gradient.message", input=pair.input_name)
            yield pair.diagnosis(MASKED_GRADIENT.code, message, confidence="likely")
        else:
            message = say("sparse_mismatch.message", input=pair.input_name)
            yield pair.diagnosis(SPARSE_MISMATCH.code, message)


def _is_masked(pair: JacobianPair) -> bool:
    """Whether each row of the gradient is either correct or entirely zero."""
    rows = zip(pair.analytical, pair.numerical, strict=True)
    return not pair.analytical_is_zero and all(
        not bool(analytical.any()) or pair.agree(analytical, numerical)
        for analytical, numerical in rows
    )

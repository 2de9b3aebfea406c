"""Diagnoses for inputs that are not dense: only a few causes are tested."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.model.diagnosis import Diagnosis


def diagnose_not_dense(case: DiagnosisCase) -> Iterator[Diagnosis]:
    """Yield ``unknown`` for each pair that does not agree, with a common cause if it fits."""
    for pair in case.pairs:
        yield _masked(pair) if _is_masked(pair) else _unknown(pair)


def _is_masked(pair: JacobianPair) -> bool:
    """Whether each row of the gradient is either correct or entirely zero."""
    rows = zip(pair.analytical, pair.numerical, strict=True)
    return not pair.analytical_is_zero and all(
        not bool(analytical.any()) or pair.agree(analytical, numerical)
        for analytical, numerical in rows
    )


def _masked(pair: JacobianPair) -> Diagnosis:
    return pair.diagnosis(
        "unknown",
        f"Backward returns no gradient for some elements of {pair.input_name}; the "
        "gradients of the others are correct. If the missing ones are unspecified "
        "elements of a sparse input, the gradient is masked: to_dense() does this, "
        "to_dense(masked_grad=False) does not.",
        confidence="likely",
    )


def _unknown(pair: JacobianPair) -> Diagnosis:
    return pair.diagnosis(
        "unknown",
        f"Backward returns a wrong gradient for {pair.input_name}. For sparse inputs, "
        "gradviz does not test the causes it recognizes for dense ones.",
    )

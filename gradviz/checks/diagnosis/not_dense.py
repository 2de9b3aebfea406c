"""Inputs that are not dense: their Jacobians are compared, and little is tried besides."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


def not_dense(case: Case) -> Iterator[Diagnosis]:
    """``unknown`` for each pair that does not agree, with a usual reason where it fits."""
    for pair in case.pairs:
        yield _masked(pair) if _is_masked(pair) else _unknown(pair)


def _is_masked(pair: Pair) -> bool:
    """Whether backward is right, or gives nothing at all to an element of the input."""
    rows = zip(pair.analytical, pair.numerical, strict=True)
    return not pair.analytical_is_zero and all(
        not bool(analytical.any()) or pair.agree(analytical, numerical)
        for analytical, numerical in rows
    )


def _masked(pair: Pair) -> Diagnosis:
    return pair.diagnosis(
        "unknown",
        f"Backward gives nothing to some elements of {pair.input_name}, and the others are right."
        " Where these are the ones that it does not specify, the gradient is masked: to_dense()"
        " does so, and to_dense(masked_grad=False) does not.",
        confidence="likely",
    )


def _unknown(pair: Pair) -> Diagnosis:
    return pair.diagnosis(
        "unknown",
        f"Backward gives {pair.input_name} a wrong gradient. What mistakes of dense Functions look"
        " like is not tried on sparse inputs.",
    )

"""Backward gives nothing for an input with which the output changes."""

from __future__ import annotations

from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


def missing_gradient(pair: Pair) -> Diagnosis | None:
    """Analytically nothing, numerically something."""
    if pair.order != 1 or not pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    return pair.diagnosis(
        "missing_gradient",
        f"{pair.output_name} changes with {pair.input_name}, yet no gradient comes back from it:"
        f" backward returns None or zeros for {pair.input_name}, or the way there is cut.",
    )

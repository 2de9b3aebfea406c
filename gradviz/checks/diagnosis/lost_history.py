"""A gradient changes with an input of which its history knows nothing."""

from __future__ import annotations

from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


def lost_history(pair: Pair) -> Diagnosis | None:
    """Of second order, analytically nothing, numerically something."""
    if pair.order != 2 or not pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    return pair.diagnosis(
        "lost_history",
        f"{pair.output_name} changes with {pair.input_name}, but by its history it does not depend"
        " on it: something that backward computes with has lost its history. Mostly that is a value"
        " which forward computed and saved although it is neither an input nor an output; else"
        " .detach(), .item() or NumPy.",
    )

"""Differences that fit no kind."""

from __future__ import annotations

from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


def unknown(pair: Pair) -> Diagnosis:
    """Says so, and where to begin."""
    return pair.diagnosis(
        "unknown",
        f"How {pair.output_name} and {pair.input_name} differ fits no mistake that gradviz can tell"
        " by its numbers; begin at the worst element.",
    )

"""Fallback for differences that match no rule."""

from __future__ import annotations

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.model.diagnosis import Diagnosis


def unknown(pair: JacobianPair) -> Diagnosis:
    """Diagnose an unknown cause, and say where to start."""
    return pair.diagnosis(
        "unknown",
        f"The difference between the Jacobians of {pair.output_name} with respect to "
        f"{pair.input_name} matches no mistake that gradviz recognizes. Start with the "
        "worst element.",
    )

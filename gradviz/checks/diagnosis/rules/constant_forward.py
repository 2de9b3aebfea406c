"""Rule for a forward that ignores an input for which backward returns a gradient."""

from __future__ import annotations

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.model.diagnosis import Diagnosis


def constant_forward(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros whose analytical counterpart is not zero."""
    if pair.order != 1 or not pair.numerical_is_zero or pair.analytical_is_zero:
        return None
    return pair.diagnosis(
        "constant_forward",
        f"Moving {pair.input_name} by eps does not change {pair.output_name} at all, so "
        "the numerical Jacobian is zero: forward does not use this input, or is "
        f"piecewise constant here. Yet backward returns a gradient for {pair.input_name}. "
        "If forward does not use it, return None for it.",
    )

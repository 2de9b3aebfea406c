"""Rule for a forward that ignores an input for which backward returns a gradient."""

from __future__ import annotations

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@yields("constant_forward")
def constant_forward(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros whose analytical counterpart is not zero."""
    if pair.order != 1 or not pair.numerical_is_zero or pair.analytical_is_zero:
        return None
    return pair.diagnosis("constant_forward.message")

"""Rule for a forward that ignores an input for which backward returns a gradient."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.numbers.constant_forward import CONSTANT_FORWARD
from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@yields(CONSTANT_FORWARD)
def constant_forward(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a numerical Jacobian of zeros whose analytical counterpart is not zero."""
    if pair.order != 1 or not pair.numerical_is_zero or pair.analytical_is_zero:
        return None
    return pair.diagnosis(
        CONSTANT_FORWARD.code,
        say("constant_forward.message", input=pair.input_name, output=pair.output_name),
    )

"""Fallback for differences that match no rule."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.conclusions.unknown import UNKNOWN
from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@yields(UNKNOWN)
def unknown(pair: JacobianPair) -> Diagnosis:
    """Diagnose an unknown cause, and say where to start."""
    return pair.diagnosis(
        UNKNOWN.code,
        say("unknown.pair", input=pair.input_name, output=pair.output_name),
    )

"""Investigation of size errors in backward: equal sizes may show a transposed gradient.

A matrix product that lacks a transpose only runs if the matrices are square.
"""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.rules.transposed import transposed
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.run.context import CheckContext
from gradviz.checks.user_errors import describe_exception
from gradviz.model.diagnosis import Diagnosis


@yields("transposed")
def find_size_mismatch(case: CheckContext) -> Iterable[Diagnosis]:
    """Yield one diagnosis per input whose gradient is transposed when all sizes are equal."""
    raised = map(describe_exception, case.findings.backward_errors)
    if not any(part in message for message in raised for part in _SIZES):
        return
    reruns = PerturbedRerun(case.subject, case.settings, case.evaluations)
    # With equal sizes the product runs, and its values show whether a transpose is missing.
    pairs = reruns.with_equal_sizes().values()
    wrong = [(pair, transposed(pair)) for pair in pairs if pair.block.wrong]
    if any(found is None for _, found in wrong):
        return
    yield from {
        pair.block.input: _transposed_diagnosis(pair, found) for pair, found in wrong if found
    }.values()


_SIZES = (
    "shapes cannot be multiplied",
    "size mismatch",
    "must match the size",
    "inconsistent tensor",
)
"""Parts of torch's messages about matrices whose sizes do not match."""


def _transposed_diagnosis(pair: JacobianPair, found: Diagnosis) -> Diagnosis:
    return diagnosed(
        "transposed.sizes",
        about=(None, pair.block.input, ""),
        confidence="likely",
        evidence=(
            say("transposed.sizes.evidence", shape=list(pair.input_shape), input=pair.input_name),
        ),
        found=found.message,
    )

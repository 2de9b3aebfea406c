"""What forward mode, vmap and fast mode found where backward itself seems to be right."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.checks.diagnosis.case import Case
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian import CheckProblem, JacobianBlock

_BACKWARD_AGREES = "Backward agrees with the numerical differences."


def other_modes(case: Case) -> Iterator[Diagnosis]:
    """One diagnosis for each pair whose forward mode is wrong, else for what was found besides."""
    findings = case.findings
    if case.pairs or not all(each.is_harmless for each in findings.diagnoses):
        return
    wrong = [block for block in findings.ordered_blocks() if block.forward_wrong]
    yield from map(_forward, wrong)
    for problem in () if wrong else findings.problems:
        if problem.code in ("forward_mode", "batched_gradient"):
            yield _said(problem)
    if any(each.code == "fast_mode" for each in findings.problems):
        yield _only_products()


def _forward(block: JacobianBlock) -> Diagnosis:
    return Diagnosis(
        code="unknown",
        message=(
            f"Forward mode (jvp) gives wrong derivatives of {block.output_name} with respect to"
            f" {block.input_name}, and backward gives right ones: look at jvp."
        ),
        output=block.output,
        input=block.input,
        part=block.part,
        evidence=(
            f"{block.forward_wrong} of {block.count} elements of the Jacobian by forward mode are"
            " outside the tolerance.",
            _BACKWARD_AGREES,
        ),
    )


def _said(problem: CheckProblem) -> Diagnosis:
    return Diagnosis(
        code="unknown",
        message=problem.message,
        output=None,
        input=None,
        evidence=(_BACKWARD_AGREES,),
    )


def _only_products() -> Diagnosis:
    return Diagnosis(
        code="none",
        message=(
            "Each element is within the tolerance, although the sums of many that fast mode"
            " compares are not."
        ),
        output=None,
        input=None,
    )

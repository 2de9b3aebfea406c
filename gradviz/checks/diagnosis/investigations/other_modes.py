"""Diagnoses from forward mode, vmap and fast mode if backward itself seems to be right."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem, JacobianBlock

_BACKWARD_AGREES = "Backward agrees with the numerical Jacobian."


def diagnose_other_modes(case: DiagnosisCase) -> Iterator[Diagnosis]:
    """Yield a diagnosis per pair that is wrong in forward mode, else for other findings."""
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
            f"Forward mode (jvp) gives wrong derivatives of {block.output_name} with "
            f"respect to {block.input_name}, but backward is correct. Check jvp."
        ),
        output=block.output,
        input=block.input,
        part=block.part,
        evidence=(
            f"{block.forward_wrong} of {block.count} elements of the forward-mode "
            "Jacobian are outside the tolerance.",
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
            "Every element is within the tolerance, but the sums of many elements that "
            "fast mode compares are not."
        ),
        output=None,
        input=None,
    )

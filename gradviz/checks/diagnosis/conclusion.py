"""The last word of a check: it says so where nothing is wrong, and where it does not know."""

from __future__ import annotations

from gradviz.checks.findings import Findings
from gradviz.model.diagnosis import Diagnosis


def conclude(findings: Findings) -> None:
    """Adds ``none`` or ``unknown`` to the findings of a check that nothing else is said about."""
    if findings.diagnoses:
        return
    if findings.verdict() == "match":
        findings.diagnose(
            Diagnosis(
                code="none",
                message="Nothing that was tried speaks against it.",
                output=None,
                input=None,
            )
        )
        return
    findings.diagnose(
        Diagnosis(
            code="unknown",
            message="What was found fits no mistake that gradviz can tell; begin at the problems.",
            output=None,
            input=None,
        )
    )

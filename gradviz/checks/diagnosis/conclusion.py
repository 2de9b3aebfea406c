"""Conclusion of a check without a diagnosis: no problem found, or an unknown cause."""

from __future__ import annotations

from gradviz.checks.findings import Findings
from gradviz.model.diagnosis import Diagnosis


def conclude(findings: Findings) -> None:
    """Add ``none`` or ``unknown`` to the findings of a check that have no diagnosis."""
    if findings.diagnoses:
        return
    if findings.verdict() == "match":
        findings.diagnose(
            Diagnosis(
                code="none",
                message="None of the checks found a problem.",
                output=None,
                input=None,
            )
        )
        return
    findings.diagnose(
        Diagnosis(
            code="unknown",
            message="The results match no mistake that gradviz recognizes. Start with the "
            "reported problems.",
            output=None,
            input=None,
        )
    )

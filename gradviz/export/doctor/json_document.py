"""Findings of the doctor as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.linter.doctor_finding import DoctorFinding
from gradviz.linter.unexamined import Unexamined

SCHEMA = 1


def doctor_document(
    findings: Sequence[DoctorFinding], problems: Sequence[Unexamined] = ()
) -> dict[str, Any]:
    """Build the document of ``gradviz doctor --format json``.

    Args:
        findings: The findings.
        problems: What could not be examined.

    Returns:
        ``{schema, findings, problems}``; a finding is ``{rule, code, severity, confidence,
        evidence, path, line, message, remedy}``, and ``line`` is null if it is unknown.
    """
    return {
        "schema": SCHEMA,
        "findings": [
            {
                "rule": each.rule.id,
                "code": each.rule.code,
                "severity": each.severity,
                "confidence": each.rule.confidence,
                "evidence": each.evidence,
                "path": each.path,
                "line": each.line or None,
                "message": each.message,
                "remedy": each.rule.remedy,
            }
            for each in findings
        ],
        "problems": [each.message for each in problems],
    }

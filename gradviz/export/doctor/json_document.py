"""Findings of the doctor as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.linter.coverage import Coverage, values_sentence
from gradviz.linter.doctor_finding import DoctorFinding
from gradviz.linter.unexamined import Unexamined

SCHEMA = 1


def doctor_document(
    findings: Sequence[DoctorFinding],
    coverages: Sequence[Coverage] = (),
    problems: Sequence[Unexamined] = (),
) -> dict[str, Any]:
    """Build the document of ``gradviz doctor --format json``.

    Args:
        findings: The findings.
        coverages: What was looked at.
        problems: What could not be examined.

    Returns:
        ``{schema, findings, coverage, values, problems}``; a finding is ``{rule, code, severity,
        confidence, evidence, path, line, message, remedy}``, and ``line`` is null if it is unknown.
        ``coverage`` has what `coverage_of` returns for each file; ``values`` says that no gradient
        was compared with the numerical one, or is null.
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
        "coverage": [coverage_of(each) for each in coverages],
        "values": values_sentence(coverages) or None,
        "problems": [each.message for each in problems],
    }


def coverage_of(coverage: Coverage) -> dict[str, Any]:
    """What was looked at in a file.

    Returns:
        ``{path, functions, examples, checked, unchecked, partly, message}``: the numbers of its
        Functions and of its recorded examples, and ids of the rules that were checked, of those
        that were not, and of those that were only read although a run shows more.
    """
    return {
        "path": coverage.paths[0],
        "functions": coverage.functions,
        "examples": coverage.runs,
        "checked": [rule.id for rule in coverage.checked],
        "unchecked": [rule.id for rule in coverage.unchecked],
        "partly": [rule.id for rule in coverage.partly],
        "message": " ".join(coverage.sentences()),
    }

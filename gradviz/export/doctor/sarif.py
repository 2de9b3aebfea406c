"""Findings of the doctor as SARIF 2.1.0, which code hosts show next to the lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gradviz.export.doctor.json_document import coverage_of
from gradviz.linter.coverage import Coverage, values_sentence
from gradviz.linter.doctor_finding import DoctorFinding
from gradviz.linter.unexamined import Unexamined
from gradviz.version import __version__

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def sarif_document(
    findings: Sequence[DoctorFinding],
    coverages: Sequence[Coverage],
    problems: Sequence[Unexamined],
    root: Path,
) -> dict[str, Any]:
    """Build a SARIF log with one run.

    Args:
        findings: The findings.
        coverages: What was looked at: a note for each file, and in the properties of the run.
        problems: What could not be examined.
        root: Folder of the project; paths below it are written relative to it.
    """
    rules = {each.rule.id: each.rule for each in findings}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "gradviz",
                        "version": __version__,
                        "rules": [
                            {
                                "id": rule.id,
                                "name": "".join(map(str.capitalize, rule.code.split("_"))),
                                "shortDescription": {"text": rule.summary},
                                "fullDescription": {"text": rule.why},
                                "help": {"text": rule.remedy},
                                "defaultConfiguration": {"level": _LEVELS[rule.severity]},
                            }
                            for _, rule in sorted(rules.items())
                        ],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": not problems,
                        "toolExecutionNotifications": [
                            *(_note("error", each.path, each.message, root) for each in problems),
                            *(_coverage_note(each, root) for each in coverages),
                        ],
                    }
                ],
                "properties": {
                    "coverage": [coverage_of(each) for each in coverages],
                    "values": values_sentence(coverages) or None,
                },
                "results": [_result(each, root) for each in findings],
            }
        ],
    }


def _coverage_note(coverage: Coverage, root: Path) -> dict[str, Any]:
    text = " ".join([*coverage.sentences(), values_sentence([coverage])]).strip()
    return _note("note", coverage.paths[0], text, root)


def _note(level: str, path: str, text: str, root: Path) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}, "locations": [_location(path, 0, root)]}


def _location(path: str, line: int, root: Path) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(Path(path), root)}}
    # SARIF counts lines from 1; here 0 means that the line is unknown.
    if line:
        place["region"] = {"startLine": line}
    return {"physicalLocation": place}


def _result(finding: DoctorFinding, root: Path) -> dict[str, Any]:
    return {
        "ruleId": finding.rule.id,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(finding.path, finding.line, root)],
    }


def _uri(path: Path, root: Path) -> str:
    absolute = path.absolute()
    if absolute.is_relative_to(root.absolute()):
        return quote(absolute.relative_to(root.absolute()).as_posix())
    return absolute.as_uri()

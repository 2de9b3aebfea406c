"""The place in a run that shows a finding best, and the findings up to a step."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.model.finding import Finding, Severity

_GRAVEST_FIRST: tuple[Severity, ...] = ("error", "warning", "info")


def finding_position(index: TraceIndex, finding: Finding) -> TracePosition | None:
    """The place of a finding: its step, or its first recorded source line in that step.

    Returns:
        None for a finding that belongs to no step.
    """
    if finding.step is None:
        return None
    inside = index.inside.get(finding.step)
    location = finding.location
    if inside is not None and location is not None:
        wanted = (location.path, location.line)
        for part in inside.parts:
            for at, line in enumerate(part.lines):
                if (line.location.path, line.location.line) == wanted:
                    return TracePosition(step=finding.step, stage=part.stage, line=at)
    return TracePosition(step=finding.step)


def ordered_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, most severe first; those about the recording come last."""
    found = tuple(findings)
    about_recording = {
        code for code in {each.code for each in found} if finding_kind(code).recording
    }
    return tuple(sorted(found, key=lambda each: (each.code in about_recording, *_rank(each))))


def count_problems(findings: tuple[Finding, ...]) -> int:
    """How many findings are warnings or errors."""
    return sum(each.severity != "info" for each in findings)


def _rank(finding: Finding) -> tuple[int, int, int]:
    return (_GRAVEST_FIRST.index(finding.severity), finding.step or 0, finding.id)

"""Where in a run a finding is best looked at, and which findings may be told of yet."""

from __future__ import annotations

from gradviz.model.finding import Finding, Severity
from gradviz.model.index import Index
from gradviz.model.places import Place
from gradviz.model.rules import kind_of

_GRAVEST_FIRST: tuple[Severity, ...] = ("error", "warning", "info")


def place_of(index: Index, finding: Finding) -> Place | None:
    """Its step, or within that the first recorded line of its source line; None for no step."""
    if finding.step is None:
        return None
    inside = index.inside.get(finding.step)
    location = finding.location
    if inside is not None and location is not None:
        wanted = (location.path, location.line)
        for part in inside.parts:
            for at, line in enumerate(part.lines):
                if (line.location.path, line.location.line) == wanted:
                    return Place(step=finding.step, stage=part.stage, line=at)
    return Place(step=finding.step)


def in_order(index: Index, told: int) -> tuple[Finding, ...]:
    """The findings up to a step, the gravest first; what concerns the recording comes last."""
    found = [each for each in index.trace.findings if each.step is None or each.step <= told]
    return tuple(sorted(found, key=_rank))


def broken_count(findings: tuple[Finding, ...]) -> int:
    """How many of them tell that something is wrong, and are no mere hints."""
    return sum(each.severity != "info" for each in findings)


def _rank(finding: Finding) -> tuple[bool, int, int, int]:
    grave = _GRAVEST_FIRST.index(finding.severity)
    return (kind_of(finding.code).recording, grave, finding.step or 0, finding.id)

"""Findings of the doctor as text, one line for each, like a compiler's messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gradviz.catalogue.messages import say, say_list
from gradviz.linter.doctor_finding import DoctorFinding


def doctor_lines(findings: Sequence[DoctorFinding]) -> Iterator[str]:
    """Lines such as ``net.py:7: GV101 warning: ...``, with a summary as the last one."""
    for each in findings:
        place = f"{each.path}:{each.line}" if each.line else each.path
        severity = say(f"doctor.severity.{each.severity}")
        yield say(
            "doctor.line", place=place, rule=each.rule.id, severity=severity, text=each.message
        )
    yield _summary(findings)


def _summary(findings: Sequence[DoctorFinding]) -> str:
    counts = Counter(each.severity for each in findings)
    if not counts:
        return say("doctor.nothing")
    parts = [
        say(f"doctor.count.{severity}.{'one' if count == 1 else 'more'}", count=count)
        for severity in ("error", "warning", "info")
        if (count := counts[severity])
    ]
    return say("doctor.summary", counts=say_list(parts))

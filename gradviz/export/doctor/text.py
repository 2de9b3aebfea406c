"""Findings of the doctor as text, one line for each, like a compiler's messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.linter.coverage import Coverage, grouped, values_sentence
from gradviz.linter.doctor_finding import DoctorFinding


def doctor_lines(findings: Sequence[DoctorFinding], coverages: Sequence[Coverage]) -> Iterator[str]:
    """Lines such as ``net.py:7: GV101 warning: ...``, a summary, and what was checked."""
    for each in findings:
        place = f"{each.path}:{each.line}" if each.line else each.path
        severity = say(f"doctor.severity.{each.severity}")
        yield say(
            "doctor.line", place=place, rule=each.rule.id, severity=severity, text=each.message
        )
    yield from filter(None, [_summary(findings, coverages)])
    # What a rule needs is the same in all files.
    yield from dict.fromkeys(
        sentence for each in grouped(coverages) for sentence in each.sentences()
    )
    yield from filter(None, [values_sentence(coverages)])


def _summary(findings: Sequence[DoctorFinding], coverages: Sequence[Coverage]) -> str:
    """How much was found; empty if there was nothing to look at."""
    counts = Counter(each.severity for each in findings)
    if not counts:
        checked = {rule.id for each in coverages for rule in each.checked}
        return say_count("doctor.nothing", len(checked)) if checked else ""
    parts = [
        say(f"doctor.count.{severity}.{'one' if count == 1 else 'more'}", count=count)
        for severity in ("error", "warning", "info")
        if (count := counts[severity])
    ]
    return say("doctor.summary", counts=say_list(parts))

"""What a run did wrong, in a few lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from gradviz.analysis.position.finding_positions import ordered_findings
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.messages import say, say_list
from gradviz.model.finding import Finding
from gradviz.text.repeated_findings import finding_text

_MOST = 3
"""Of so many problems, the sentence is shown."""


def problem_counts(findings: Iterable[Finding]) -> str:
    """How many errors and warnings there are, as ``2 errors and 1 warning``; or empty."""
    counts = Counter(each.severity for each, *_ in _problems(findings))
    parts = [
        say(f"doctor.count.{severity}.{'one' if count == 1 else 'more'}", count=count)
        for severity in ("error", "warning")
        if (count := counts[severity])
    ]
    return say_list(parts) if parts else ""


def problem_lines(findings: Sequence[Finding]) -> tuple[str, ...]:
    """How many errors and warnings there are, the sentences of the first ones, and their pages."""
    problems, counts = _problems(findings), problem_counts(findings)
    pages = guide_lines(findings)
    if len(problems) == 1:
        return (say("found.one", counts=counts, message=_located(problems[0])), *pages)
    lines = [
        say("found.line", severity=say(f"severity.{each[0].severity}"), message=_located(each))
        for each in problems[:_MOST]
    ]
    return (say("found", counts=counts), *lines, *pages) if lines else ()


def problem_pages(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Names of the guide's pages about the first errors and warnings, most severe first."""
    pages = [finding_kind(each.code).page for each, *_ in _problems(findings)]
    return tuple(dict.fromkeys(filter(None, pages)))[:_MOST]


def guide_lines(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The commands that print the guide's pages about the first errors and warnings, if any."""
    commands = [say("found.guide.command", page=page) for page in problem_pages(findings)]
    return (say("found.guide", commands=say_list(commands)),) if commands else ()


def _located(group: Sequence[Finding]) -> str:
    """A finding's sentence, with its line where that does not name it."""
    line, text = group[0].location, group[0].message
    if line is not None and not re.search(rf"\b{line.line}\b", text):
        name = line.path.replace("\\", "/").rpartition("/")[2]
        text = say("error.at", sentence=text, line=line.line, file=name)
    return finding_text(group, text)


def _problems(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Errors and warnings; those that say the same of several steps are together."""
    found: dict[tuple[Hashable, ...], list[Finding]] = {}
    for each in ordered_findings(findings):
        if each.severity != "info" and not finding_kind(each.code).recording:
            found.setdefault((each.code, each.location, each.message), []).append(each)
    return list(found.values())

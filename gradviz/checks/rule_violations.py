"""Violations of the doctor's rules in what is checked, observed in a run or read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from gradviz.checks.names import function_class, methods_of, source_lines_of
from gradviz.linter.doctor_finding import violations_of_run
from gradviz.linter.source_findings import source_findings
from gradviz.model.finding import Finding
from gradviz.model.source import Location
from gradviz.model.trace import Trace
from gradviz.recorder.sources import shown_path


def rule_violations(
    target: Callable[..., Any], path: str, trace: Trace, *, first_id: int = 1
) -> tuple[Finding, ...]:
    """Violations in what is checked, by line, as findings of no particular step."""
    found = list(violations_of_run(path, trace))
    known = {(each.code, _place(each)) for each in found}
    # The recording has read the source as well, unless this version of torch cannot be recorded.
    read = _findings_of_function(target)
    found += [each for each in read if (each.code, _place(each)) not in known]
    return tuple(
        replace(
            each,
            id=number,
            step=None,
            node=None,
            argument=None,
            location=each.location and replace(each.location, source=None),
        )
        for number, each in enumerate(sorted(found, key=_place), first_id)
    )


def _place(finding: Finding) -> tuple[str, int]:
    line = finding.location
    return ("", 0) if line is None else (line.path, line.line)


def _findings_of_function(target: Callable[..., Any]) -> tuple[Finding, ...]:
    """Findings in the source of a custom Function.

    Args:
        target: What is checked; nothing is found unless it is a Function, or its ``apply``, whose
            source is available.
    """
    cls = function_class(target)
    if cls is None:
        return ()
    try:
        path, lines = source_lines_of(cls)
        methods = methods_of(cls)
    except (OSError, TypeError):  # Typed at a prompt, or made by a program.
        return ()
    return tuple(
        Finding(
            id=0,
            code=each.code,
            severity=each.severity,
            message=each.message,
            step=None,
            node=None,
            location=Location(
                source=None, path=shown_path(path), line=each.line, function=each.function
            ),
        )
        for each in filter(methods.include, source_findings("".join(lines)))
    )

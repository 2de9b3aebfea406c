"""Violations of the doctor's rules that the source of a checked Function shows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from gradviz.analysis.source_statements import parse_source
from gradviz.checks.names import function_class
from gradviz.linter.source_findings import findings_of_tree
from gradviz.model.finding import Finding
from gradviz.model.source import Location


def findings_of_function(target: Callable[..., Any]) -> tuple[Finding, ...]:
    """Findings in the source of a custom Function, numbered from 1.

    Args:
        target: What is checked; nothing is found unless it is a Function, or its ``apply``, whose
            source is available.
    """
    cls = function_class(target)
    if cls is None:
        return ()
    try:
        path = inspect.getsourcefile(cls) or ""
        lines, first = inspect.findsource(cls)
    except (OSError, TypeError):  # Typed at a prompt, or made by a program.
        return ()
    tree = parse_source("".join(lines))
    found = () if tree is None else findings_of_tree(tree)
    # `findsource` counts lines from 0.
    here = [each for each in found if each.class_line == first + 1]
    return tuple(
        Finding(
            id=number,
            code=each.code,
            severity=each.severity,
            message=each.message,
            step=None,
            node=None,
            location=Location(source=None, path=path, line=each.line, function=each.function),
        )
        for number, each in enumerate(here, start=1)
    )

"""Findings that are read from the source of custom Functions, without running them."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.catalogue.messages import say
from gradviz.catalogue.rules import doctor_rule
from gradviz.catalogue.rules.declaration import RuleSeverity
from gradviz.linter.function_class import FunctionClass, function_classes
from gradviz.linter.rules import SOURCE_RULES
from gradviz.linter.violation import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFinding:
    """A violation of a rule, as it stands in the source.

    Attributes:
        code: Code of the rule.
        function: Name of the Function.
        line: Line in the file, from 1.
        message: One sentence for people.
        severity: Severity of the rule.
    """

    code: str
    function: str
    line: int
    message: str
    severity: RuleSeverity


def source_findings(source: str) -> tuple[SourceFinding, ...]:
    """Findings in all custom Functions of a source text, by line.

    Args:
        source: Text of a Python file; nothing is found in one that cannot be parsed.
    """
    found = [
        _finding(code, function, violation)
        for function in function_classes(source)
        for code, find in SOURCE_RULES.items()
        for violation in find(function)
    ]
    return tuple(sorted(found, key=lambda each: (each.line, each.code)))


def _finding(code: str, function: FunctionClass, violation: Violation) -> SourceFinding:
    rule = doctor_rule(code)
    if rule is None:
        raise LookupError(f"the source rule {code} is not declared")
    method = violation.method.name
    place = say("finding.where.line", function=function.name, method=method, line=violation.line)
    key = ".".join(filter(None, ("finding", code, violation.variant)))
    words = {"where": place, "function": function.name, "method": method, **violation.values}
    return SourceFinding(
        code=code,
        function=function.name,
        line=violation.line,
        message=say(key, **words),
        severity=rule.severity,
    )

"""Findings that are read from the source of custom Functions, without running them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection

from msgspec import Struct

from gradviz.analysis.source_statements import parse_source
from gradviz.catalogue.language import current_language
from gradviz.catalogue.messages import say
from gradviz.linter.function_class import FunctionClass, function_classes
from gradviz.linter.rules import SOURCE_RULES
from gradviz.linter.violation import Violation
from gradviz.model.finding import Severity


class SourceFinding(Struct, frozen=True, kw_only=True):
    """A violation of a rule, as it stands in the source.

    Attributes:
        code: Code of the rule.
        function: Name of the Function.
        method_line: First line of its method, decorators included.
        line: Line in the file, from 1.
        message: One sentence for people.
        severity: Severity of the rule.
        only_in_source: Whether a run does not show such a violation itself.
    """

    code: str
    function: str
    method_line: int
    line: int
    message: str
    severity: Severity
    only_in_source: bool


class ExaminedMethods(Struct, frozen=True, kw_only=True):
    """The methods of a class by their lines: other classes in its file may have its name.

    Attributes:
        functions: Names of the class and of those that it derives from.
        lines: First lines of its methods, decorators included; None if they are unknown.
    """

    functions: Collection[str]
    lines: Collection[int] | None = None

    def include(self, finding: SourceFinding) -> bool:
        """Whether a finding of the file is in one of the methods."""
        is_there = self.lines is None or finding.method_line in self.lines
        return is_there and finding.function in self.functions


def source_findings(source: str) -> tuple[SourceFinding, ...]:
    """Findings in all custom Functions of a source text, by line.

    Args:
        source: Text of a Python file; nothing is found in one that cannot be parsed.
    """
    return _findings(source, current_language())


# A run of each example of a file asks for those of the whole file.
@functools.lru_cache(maxsize=64)
def _findings(source: str, _language: str) -> tuple[SourceFinding, ...]:
    tree = parse_source(source)
    return () if tree is None else findings_of_tree(tree)


def findings_of_tree(tree: ast.Module) -> tuple[SourceFinding, ...]:
    """Findings in all custom Functions of a file, by line."""
    found = [
        _finding(code, function, violation)
        for function in function_classes(tree)
        for code, find in SOURCE_RULES.items()
        for violation in find(function)
        # What a Function inherits is reported for the one that defines it.
        if violation.method.name in function.own
    ]
    return tuple(sorted(found, key=lambda each: (each.line, each.code)))


def _finding(code: str, function: FunctionClass, violation: Violation) -> SourceFinding:
    # Most Functions break no rule, and its declaration comes with those of all others.
    from gradviz.catalogue.rules import doctor_rule

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
        method_line=violation.method.first_line,
        line=violation.line,
        message=say(key, **words),
        severity=rule.severity,
        only_in_source=rule.evidence == ("source",),
    )

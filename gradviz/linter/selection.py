"""Which rules apply to a file: options, ``pyproject.toml``, and comments in the file."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradviz.analysis.source_statements import parse_source
from gradviz.catalogue.messages import say
from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.linter.doctor_finding import DoctorFinding

_COMMENT = re.compile(r"#\s*gradviz:\s*ignore(?:\[([\w\s,]*)\])?", re.IGNORECASE)
_EVERY_RULE = "GV"


class SelectionError(ValueError):
    """A selection names no rule, or its file is invalid; the message is for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSelection:
    """Rules to report, by id or the beginning of an id, such as ``GV1``.

    Attributes:
        select: Rules to report; empty for all.
        ignore: Rules to leave out; the longer of two matching names decides.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def includes(self, rule_id: str) -> bool:
        """Whether a rule is reported."""
        return _match(rule_id, self.select or (_EVERY_RULE,)) > _match(rule_id, self.ignore)


def _match(rule_id: str, names: Iterable[str]) -> int:
    """Length of the longest name that a rule's id begins with; 0 for none."""
    return max((len(name) for name in names if rule_id.startswith(name)), default=0)


def parse_rules(names: Iterable[str]) -> tuple[str, ...]:
    """Check ids of rules or beginnings of them, such as ``gv1``.

    Raises:
        SelectionError: If one matches no rule.
    """
    parsed = tuple(name.strip().upper() for name in names if name.strip())
    for name in parsed:
        if not any(rule.id.startswith(name) for rule in DOCTOR_RULES):
            raise SelectionError(say("doctor.unknown_rule", name=name))
    return parsed


def selection_of_project(path: Path) -> RuleSelection:
    """The selection in ``[tool.gradviz]`` of the nearest ``pyproject.toml`` above a file.

    Raises:
        SelectionError: If that file cannot be read, or selects an unknown rule.
    """
    for folder in path.absolute().parents:
        project = folder / "pyproject.toml"
        if project.is_file():
            return _read_project(project)
    return RuleSelection()


def _read_project(project: Path) -> RuleSelection:
    try:
        document = tomllib.loads(project.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SelectionError(say("doctor.bad_project", path=project, problem=error)) from None
    tools = document.get("tool")
    table = tools.get("gradviz", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise SelectionError(say("doctor.bad_list", path=project, name="select"))
    names = {name: _names(project, table, name) for name in ("select", "ignore")}
    return RuleSelection(select=names["select"], ignore=names["ignore"])


def _names(project: Path, table: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise SelectionError(say("doctor.bad_list", path=project, name=name))
    return parse_rules(value)


def ignored_rules(source: str) -> dict[int, tuple[str, ...]]:
    """Rules that comments such as ``# gradviz: ignore[GV101]`` leave out, by line.

    Without brackets, a comment leaves out every rule. It applies to its statement, whatever lines
    that spans; next to ``def`` or ``class``, or a decorator, it applies to the whole definition.
    """
    found: dict[int, tuple[str, ...]] = {}
    try:
        # Tokenized, because a string may contain such text as well.
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return found
    scopes = _scopes(source)
    for token in tokens:
        match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
        if match is not None:
            names = (match[1] or _EVERY_RULE).upper().split(",")
            for line in _covered(scopes, token):
                found[line] = (*found.get(line, ()), *(name.strip() for name in names))
    return found


def _covered(scopes: Sequence[tuple[range, range]], comment: tokenize.TokenInfo) -> range:
    """Lines that a comment applies to; one that stands alone applies to its line only."""
    line = comment.start[0]
    is_alone = comment.line.lstrip().startswith("#")
    found = (lines for heads, lines in scopes if line in heads and not is_alone)
    return next(found, range(line, line + 1))


def _scopes(source: str) -> list[tuple[range, range]]:
    """Lines where a comment may be, and lines that it applies to, the outermost ones first."""
    found = []
    for node in ast.walk(parse_source(source) or ast.Module(body=[], type_ignores=[])):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            heads = range(first, max(node.lineno + 1, node.body[0].lineno))
        elif isinstance(node, ast.stmt) and not hasattr(node, "body"):
            first = node.lineno
            heads = range(first, (node.end_lineno or first) + 1)
        else:
            continue
        found.append((heads, range(first, (node.end_lineno or first) + 1)))
    return found


def select_findings(
    findings: Iterable[DoctorFinding],
    selection: RuleSelection,
    ignored: Mapping[str, Mapping[int, tuple[str, ...]]],
) -> tuple[DoctorFinding, ...]:
    """The findings to report.

    Args:
        findings: All findings.
        selection: Selected rules.
        ignored: Rules that comments leave out, by path and line.
    """
    return tuple(
        each
        for each in findings
        if selection.includes(each.rule.id)
        and not _match(each.rule.id, ignored.get(each.path, {}).get(each.line, ()))
    )

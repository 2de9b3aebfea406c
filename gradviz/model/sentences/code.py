"""Source text in sentences: how a line is quoted, and which lines lie in an ``if`` or a loop."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gradviz.model.index import Index
from gradviz.model.inside import Line
from gradviz.model.sentences.values import short

_MOST_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The first line of a statement with a body below it that may run or not.

    Attributes:
        kind: Which statement.
        body: Its lines that run where the condition is true, or in each turn.
        whole: All of its lines, with ``else:``.
    """

    kind: Literal["if", "while", "for"]
    body: range
    whole: range


def quoted(index: Index, line: Line) -> str:
    """The statement as it stands in the source, on one short line; empty where it is not known."""
    text = _text(index, line)
    rows = text.splitlines() if text else []
    if line.location.line > len(rows):
        return ""
    first = short(rows[line.location.line - 1], _MOST_CHARACTERS)
    if not first or line.last_line == line.location.line:
        return first
    return f"{first}…" if first.endswith(("(", "[", "{")) else f"{first} …"


def head_at(index: Index, line: Line) -> Head | None:
    """What a line is the head of; None for any other line."""
    text = _text(index, line)
    return _heads(text).get(line.location.line) if text else None


def _text(index: Index, line: Line) -> str:
    number = line.location.source
    source = None if number is None else index.source.get(number)
    return "" if source is None else source.text


@functools.lru_cache(maxsize=64)
def _heads(text: str) -> Mapping[int, Head]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for node in ast.walk(tree):
        kind = _kind_of(node)
        if kind is not None and isinstance(node, ast.If | ast.While | ast.For | ast.AsyncFor):
            first, last = node.body[0].lineno, node.body[-1].end_lineno
            if first > node.lineno:
                found[node.lineno] = Head(
                    kind=kind,
                    body=range(_first_row(node.body[0]), (last or first) + 1),
                    whole=range(node.lineno, (node.end_lineno or node.lineno) + 1),
                )
    return found


def _kind_of(node: ast.AST) -> Literal["if", "while", "for"] | None:
    if isinstance(node, ast.If):
        return "if"
    if isinstance(node, ast.While):
        return "while"
    return "for" if isinstance(node, ast.For | ast.AsyncFor) else None


def _first_row(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])

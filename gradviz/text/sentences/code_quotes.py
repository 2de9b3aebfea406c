"""Source code for sentences: quoted lines, statement heads, kinds of definitions."""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.source_statements import Statement, parse_source, statements_of
from gradviz.model.inside import ExecutedLine
from gradviz.model.source import Location, source_lines
from gradviz.text.sentences.values import short_text

DefinitionKind = Literal["function", "generator", "class"]
"""What a recorded call can run; a generator or a coroutine runs in several calls."""

_MOST_CHARACTERS = 60


class StatementHead(Struct, frozen=True, kw_only=True):
    """The first line of an ``if`` or a loop, whose body may or may not run.

    Attributes:
        kind: The kind of statement.
        body: The lines that run if the condition is true, or in each iteration.
        whole: All lines of the statement, including ``else:``.
    """

    kind: Literal["if", "while", "for"]
    body: range
    whole: range


class _ParsedCode(Struct, frozen=True, kw_only=True):
    """Cached facts about one source text.

    Attributes:
        rows: Its lines.
        heads: Statement heads by line number.
        ends: For each line on which a statement ends, the byte offset after the last one.
        kinds: What is defined, by the line number of the definition's first line.
    """

    rows: tuple[str, ...]
    heads: Mapping[int, StatementHead]
    ends: Mapping[int, int]
    kinds: Mapping[int, DefinitionKind]


def quoted_line(index: TraceIndex, line: ExecutedLine) -> str:
    """The statement as written in the source, on one short line; empty if unknown."""
    return _quoted(_code_of(index, line.location), line.location.line, line.last_line)


def quoted_statement(index: TraceIndex, location: Location | None) -> str:
    """The statement on a line, as `quoted_line`; empty if unknown."""
    found = _statement(index, location)
    return "" if found is None else _quoted(found[0], found[1].line, found[1].last_line)


def expressions_at(index: TraceIndex, location: Location | None) -> tuple[str, ...]:
    """Names, attributes, and subscripts read by the statement on a line, as in the source."""
    tree = _tree_at(index, location)
    nodes = [] if tree is None else ast.walk(tree)
    found = [
        ast.unparse(each)
        for each in nodes
        if isinstance(each, ast.Name | ast.Attribute)
        or (isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Load))
    ]
    return tuple(dict.fromkeys([short_text(each, _MOST_NAME) for each in found]))


def assigned_at(index: TraceIndex, location: Location | None) -> str:
    """The variable to which the statement on a line assigns a call or a formula; else empty."""
    tree = _tree_at(index, location)
    match [] if tree is None else tree.body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.BinOp())]:
            return name
        case _:
            return ""


def _tree_at(index: TraceIndex, location: Location | None) -> ast.Module | None:
    found = _statement(index, location)
    if found is None:
        return None
    rows = found[0].rows[found[1].line - 1 : found[1].last_line]
    return _parsed(textwrap.dedent("\n".join(rows)))


@functools.lru_cache(maxsize=1000)
def _parsed(text: str) -> ast.Module | None:
    return parse_source(text)


_MOST_NAME = 40


def _statement(
    index: TraceIndex, location: Location | None
) -> tuple[_ParsedCode, Statement] | None:
    code = None if location is None else _code_of(index, location)
    if code is None or location is None or location.source is None:
        return None
    text = index.source[location.source].text
    at = statements_of(text).at(location.line) if len(text) <= MOST_PARSED else None
    return None if at is None else (code, at)


def _quoted(code: _ParsedCode | None, number: int, last: int) -> str:
    if code is None or number > len(code.rows):
        return ""
    row = code.rows[number - 1]
    if last == number and number in code.ends:
        # Anything after the statement is a comment.
        # ast counts columns in bytes of UTF-8.
        row = row.encode()[: code.ends[number]].decode()
    first = short_text(row, _MOST_CHARACTERS)
    if not first or last == number:
        return first
    return f"{first}…" if first.endswith(("(", "[", "{")) else f"{first} …"


def head_at(index: TraceIndex, line: ExecutedLine) -> StatementHead | None:
    """The statement head on a line; None for any other line."""
    code = _code_of(index, line.location)
    return None if code is None else code.heads.get(line.location.line)


def definition_at(index: TraceIndex, function: Location) -> DefinitionKind:
    """The kind of definition at a location; ``function`` if unknown."""
    code = _code_of(index, function)
    return "function" if code is None else code.kinds.get(function.line, "function")


def _code_of(index: TraceIndex, location: Location) -> _ParsedCode | None:
    source = None if location.source is None else index.source.get(location.source)
    return None if source is None else _code(source.text)


MOST_PARSED = 150_000
"""Maximum number of characters of a source that is parsed, which takes up to 100 ms."""


@functools.lru_cache(maxsize=64)
def _code(text: str) -> _ParsedCode:
    rows = source_lines(text)
    tree = parse_source(text) if len(text) <= MOST_PARSED else None
    nodes = [] if tree is None else list(ast.walk(tree))
    return _ParsedCode(rows=rows, heads=_heads(nodes), ends=_ends(nodes), kinds=_kinds(nodes))


def _heads(nodes: list[ast.AST]) -> dict[int, StatementHead]:
    found = {}
    for node in nodes:
        kind = _kind_of(node)
        if kind is not None and isinstance(node, ast.If | ast.While | ast.For | ast.AsyncFor):
            first, last = node.body[0].lineno, node.body[-1].end_lineno
            # If the body is on the same line, nothing recorded shows whether it ran.
            if first > node.lineno:
                found[node.lineno] = StatementHead(
                    kind=kind,
                    body=range(_first_row(node.body[0]), (last or first) + 1),
                    whole=range(node.lineno, (node.end_lineno or node.lineno) + 1),
                )
    return found


def _ends(nodes: list[ast.AST]) -> dict[int, int]:
    ends: dict[int, int] = {}
    for node in nodes:
        if isinstance(node, ast.stmt) and node.end_lineno is not None:
            end = max(ends.get(node.end_lineno, 0), node.end_col_offset or 0)
            ends[node.end_lineno] = end
    return ends


def _kinds(nodes: list[ast.AST]) -> dict[int, DefinitionKind]:
    kinds: dict[int, DefinitionKind] = {}
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            kinds[node.lineno] = kinds[_first_row(node)] = "class"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _pauses(node):
            kinds[node.lineno] = kinds[_first_row(node)] = "generator"
    return kinds


def _pauses(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function can pause and resume, as generators and coroutines do."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return isinstance(function, ast.AsyncFunctionDef)


def _kind_of(node: ast.AST) -> Literal["if", "while", "for"] | None:
    if isinstance(node, ast.If):
        return "if"
    if isinstance(node, ast.While):
        return "while"
    return "for" if isinstance(node, ast.For | ast.AsyncFor) else None


def _first_row(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])

"""The statements of a source text: what runs as one step, whatever lines it spans."""

from __future__ import annotations

import ast
import functools
import re
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from gradviz.model.source import source_lines

StatementNode = ast.stmt | ast.ExceptHandler | ast.match_case
"""Syntax tree nodes that count as statements; a compound one stands for its head only."""


class Statement(Struct, frozen=True, kw_only=True):
    """Lines that run as one step.

    This is one statement: for a compound statement such as ``for``, only its head; for a decorated
    function, its decorators and signature. Statements on a shared line, as in ``a = 1; b = 2``,
    count as one, because nothing shows when the second one begins.

    Attributes:
        line: First line, numbered from 1.
        last_line: Last line.
        binds: Local names that are always bound once it has completed.
        repeats: Whether it is a whole loop on its lines, so that it repeats with no line between.
        returns: Whether it contains a ``return``.
        resumes: Whether part of it remains to run when a generator resumes after a ``yield`` in it.
        writes: Whether it may change values other than the names that it binds; False if it calls
            nothing, iterates over nothing, and assigns to no element or attribute.
        runs: Whether anything is executed; False for docstrings and ``global``.
    """

    line: int
    last_line: int
    binds: tuple[str, ...] = ()
    repeats: bool = False
    returns: bool = False
    resumes: bool = False
    writes: bool = True
    runs: bool = True


class SourceStatements:
    """The statements of one text, searchable by line."""

    def __init__(self, statements: tuple[Statement, ...] = ()) -> None:
        self._all = statements
        self._first = [each.line for each in statements]

    def __iter__(self) -> Iterator[Statement]:
        """Iterate from top to bottom; no line belongs to two statements."""
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def at(self, line: int) -> Statement | None:
        """The statement on a line; None for empty lines, comments, ``else:`` ..."""
        position = bisect_right(self._first, line) - 1
        if position < 0 or line > self._all[position].last_line:
            return None
        return self._all[position]

    def executable(self) -> frozenset[int]:
        """First lines of the statements that execute something."""
        return frozenset([each.line for each in self._all if each.runs])


# Python 3.11 raises "AST constructor recursion depth mismatch" when two threads parse at once.
_parsing = threading.RLock()

_PART_CHARACTERS = 20_000
"""Number of characters from which a source is parsed in parts."""

_DEFINITION = re.compile(r"^(?=def\s|class\s|async\s|@)", re.MULTILINE)


_MOST_DEPTH = 250
"""Of a syntax tree. Whatever walks or prints it by recursion would fail in a much deeper one."""


@functools.lru_cache(maxsize=64)
def parse_source(text: str) -> ast.Module | None:
    """The syntax tree of a source text; None if it cannot be parsed. Safe in any thread.

    Many ask for the tree of the same text, so it is shared, and nobody may change it.

    Also None for a tree that is too deep to be walked, such as that of a thousand minus signs. No
    other thread runs while Python parses, so a long text is parsed in parts.
    """
    body: list[ast.stmt] = []
    part, lines_above = "", 0
    for piece in _parts(text):
        part += piece
        parsed = _parse("\n" * lines_above + part)
        # Otherwise, the cut was inside of a string, or below a decorator: try with the next piece.
        if parsed is not None:
            body += parsed.body
            part, lines_above = "", lines_above + part.count("\n")
    tree = ast.Module(body=body, type_ignores=[])
    return None if part or not nodes_of(tree) else tree


def _parts(text: str) -> Iterator[str]:
    """Cut a text above definitions; their lines are not counted with other line endings."""
    start = 0
    if len(text) > _PART_CHARACTERS and "\r" not in text:
        for found in _DEFINITION.finditer(text):
            if found.start() - start >= _PART_CHARACTERS:
                yield text[start : found.start()]
                start = found.start()
    yield text[start:]


def _parse(text: str) -> ast.Module | None:
    try:
        with _parsing:
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# Each of those that read a file goes through all of them.
@functools.lru_cache(maxsize=64)
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a tree, as ``ast.walk`` finds them; empty if it is too deep to be walked."""
    found: list[ast.AST] = []
    level: list[ast.AST] = [tree]
    for _ in range(_MOST_DEPTH):
        found += level
        level = [child for node in level for child in child_nodes(node)]
        if not level:
            return tuple(found)
    return ()


def child_nodes(node: ast.AST) -> list[ast.AST]:
    """The same as ``ast.iter_child_nodes``, in half the time."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


@functools.lru_cache(maxsize=64)
def statements_of(text: str) -> SourceStatements:
    """The statements of a source text; empty if it cannot be parsed."""
    tree = parse_source(text)
    if tree is None:
        return SourceStatements()
    return SourceStatements(_merged(_in(tree, source_lines(text))))


def nested_statements(tree: ast.Module) -> Iterator[StatementNode]:
    """Iterate over all statements of a file, the outer ones first.

    Most nodes of a tree are expressions; ``ast.walk`` would visit those too.
    """
    waiting: deque[StatementNode] = deque(tree.body)
    while waiting:
        node = waiting.popleft()
        yield node
        for block in ("body", "handlers", "cases", "orelse", "finalbody"):
            waiting.extend(getattr(node, block, ()))


def _in(tree: ast.Module, lines: Sequence[str]) -> list[Statement]:
    nodes = tuple(nested_statements(tree))
    silent = _silent(nodes)
    found = [_statement(node, lines, runs=node not in silent) for node in nodes]
    return sorted(found, key=lambda each: (each.line, each.last_line))


def _merged(statements: list[Statement]) -> tuple[Statement, ...]:
    """Merge statements that share a line."""
    merged: list[Statement] = []
    for each in statements:
        if merged and each.line <= merged[-1].last_line:
            before = merged[-1]
            merged[-1] = Statement(
                line=before.line,
                last_line=max(before.last_line, each.last_line),
                repeats=before.repeats or each.repeats,
                returns=before.returns or each.returns,
                # After a ``yield`` in one of them, the others still have to run.
                resumes=True,
                writes=before.writes or each.writes,
                runs=before.runs or each.runs,
            )
        else:
            merged.append(each)
    return tuple(merged)


def _statement(node: StatementNode, lines: Sequence[str], *, runs: bool) -> Statement:
    first, last = _span(node, lines)
    return Statement(
        line=first,
        last_line=last,
        binds=tuple(dict.fromkeys(_bound(node))),
        repeats=isinstance(node, ast.For | ast.AsyncFor | ast.While)
        and node.body[0].lineno <= last,
        returns=isinstance(node, ast.Return),
        resumes=_resumes(node),
        writes=_writes(node),
        runs=runs,
    )


def _span(node: StatementNode, lines: Sequence[str]) -> tuple[int, int]:
    body: list[ast.stmt] = getattr(node, "body", [])
    if isinstance(node, ast.Match):
        first, below = node.lineno, _span(node.cases[0], lines)[0]
    elif isinstance(node, ast.match_case):
        first, below = _line_of_case(node, lines), _first(body[0])
    elif not body:
        return node.lineno, node.end_lineno or node.lineno
    else:
        first, below = _first(node), _first(body[0])
    return first, _end_of_head(first, below, lines)


def _first(node: ast.stmt | ast.ExceptHandler) -> int:
    """Line of the first decorator, or of the statement itself."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _line_of_case(case: ast.match_case, lines: Sequence[str]) -> int:
    """Line of the keyword ``case``, which the syntax tree does not contain."""
    line = case.pattern.lineno
    while line > 1 and not lines[line - 1].lstrip().startswith("case"):
        line -= 1
    return line


def _end_of_head(first: int, below: int, lines: Sequence[str]) -> int:
    """The last line of a head, before any empty lines and comments above the body."""
    line = below - 1
    while line > first and lines[line - 1].lstrip()[:1] in ("", "#"):
        line -= 1
    return max(line, first) if below > first else first


def _silent(nodes: Iterable[StatementNode]) -> set[ast.stmt]:
    """Statements that execute nothing."""
    found: set[ast.stmt] = set()
    for node in nodes:
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.add(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if len(node.body) > 1 and ast.get_docstring(node, clean=False) is not None:
            found.add(node.body[0])
        for each in _in_scope(node.body):
            if isinstance(each, ast.AnnAssign) and each.simple and each.value is None:
                found.add(each)
    return found


def _in_scope(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Nested statements of a function, without those of inner functions and classes."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += [
                each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr)
            ]


def _resumes(node: StatementNode) -> bool:
    """Whether a ``yield`` or ``await`` is only part of it, so that code runs after it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield):
        return False
    if isinstance(node, ast.AsyncFor | ast.AsyncWith):
        return True
    return any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await) for each in _in_head(node))


def _in_head(node: StatementNode) -> Iterator[ast.AST]:
    """Syntax tree nodes in a statement; for a compound one, only those in its head."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, StatementNode):
            yield from ast.walk(child)


_WRITING = (
    *(ast.Call, ast.Yield, ast.YieldFrom, ast.Await, ast.comprehension),
    *(ast.AugAssign, ast.Delete, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
)


def _writes(node: StatementNode) -> bool:
    if isinstance(node, _WRITING):
        return True
    for each in _in_head(node):
        stores = isinstance(each, ast.Subscript | ast.Attribute) and isinstance(each.ctx, ast.Store)
        if stores or isinstance(each, _WRITING):
            return True
    return False


def _bound(node: StatementNode) -> Iterator[str]:
    """Names that a statement always binds if it completes."""
    match node:
        case ast.Assign(targets=targets):
            yield from _names(targets)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            yield from _names([target])
        case ast.AugAssign(target=target):
            yield from _names([target])
        case ast.With(items=items) | ast.AsyncWith(items=items):
            yield from _names([each.optional_vars for each in items if each.optional_vars])
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from [each.asname or each.name.partition(".")[0] for each in names]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.ClassDef(name=name):
            yield name
        case _:
            pass


def _names(targets: list[ast.expr]) -> Iterator[str]:
    for target in targets:
        for each in ast.walk(target):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                yield each.id

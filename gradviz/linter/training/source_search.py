"""Find the line of a run's source that explains what its steps show."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.source_statements import nested_statements, nodes_of, parse_source
from gradviz.model.source import Location, SourceFile, source_lines

T = TypeVar("T", bound=ast.AST)
Loop = ast.For | ast.While


class ParsedFile(Struct, frozen=True):
    """A Python file of a run.

    Attributes:
        source: Its text.
        tree: What that is parsed to.
    """

    source: SourceFile
    tree: ast.Module

    def location(self, part: ast.stmt | ast.expr) -> Location:
        """The first line of a part."""
        source = self.source
        return Location(source=source.id, path=source.path, line=part.lineno, function="")

    def is_in(self, location: Location | None, part: ast.stmt | ast.expr | range) -> bool:
        """Whether a location is in the lines of a part, or in a range of lines."""
        lines = part if isinstance(part, range) else lines_of(part)
        return location is not None and location.source == self.source.id and location.line in lines

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All parts of the tree, the outer ones first."""
        return nodes_of(self.tree)

    @property
    def functions(self) -> list[ast.FunctionDef]:
        """All functions, the outer ones first."""
        return [each for each in self.nodes if isinstance(each, ast.FunctionDef)]

    def calls(self, name: str) -> list[ast.Call]:
        """Calls of a function or method by its last name, in order of their lines."""
        return _sorted_calls(self.nodes, name)

    def blocks(self) -> tuple[tuple[ast.AST, list[ast.stmt]], ...]:
        """The bodies of the file, functions, loops and branches, each with what it belongs to."""
        return _blocks(self.tree)


# Many rules ask for them.
@functools.lru_cache(maxsize=64)
def _blocks(tree: ast.Module) -> tuple[tuple[ast.AST, list[ast.stmt]], ...]:
    return tuple(
        (each, block)
        for each in (tree, *nested_statements(tree))
        for part in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(each, part, None), list) and block
    )


def _sorted_calls(nodes: Iterable[ast.AST], name: str) -> list[ast.Call]:
    found = (each for each in nodes if isinstance(each, ast.Call) and last_name(each.func) == name)
    return sorted(found, key=lambda each: each.lineno)


def parsed_files(index: TraceIndex, *words: str) -> Iterator[ParsedFile]:
    """The files of a run that are Python and contain each word; not those of installed packages."""
    for source in index.trace.sources:
        if "site-packages" in source.path or source.path.startswith("<"):
            continue
        if not all(each in source.text for each in words):
            continue
        tree = parse_source(source.text)
        if tree is not None:
            yield ParsedFile(source, tree)


def parsed_file(index: TraceIndex, location: Location | None) -> ParsedFile | None:
    """The file of a location; None if it is unknown or cannot be parsed."""
    source = _source_at(index, location)
    tree = None if source is None else parse_source(source.text)
    return None if source is None or tree is None else ParsedFile(source, tree)


def _source_at(index: TraceIndex, location: Location | None) -> SourceFile | None:
    number = None if location is None else location.source
    return None if number is None else index.source.get(number)


def line_text(index: TraceIndex, location: Location | None) -> str:
    """The source line of a location; empty if it is unknown."""
    source = _source_at(index, location)
    if source is None or location is None:
        return ""
    lines = source_lines(source.text)
    return lines[location.line - 1] if location.line <= len(lines) else ""


def calls_named(tree: ast.AST, name: str) -> list[ast.Call]:
    """Calls in a part of a file, as of `ParsedFile.calls`."""
    return _sorted_calls(ast.walk(tree), name)


def last_name(tree: ast.AST) -> str:
    """The last part of a dotted name; empty for anything else."""
    if isinstance(tree, ast.Attribute):
        return tree.attr
    return tree.id if isinstance(tree, ast.Name) else ""


def is_called(tree: ast.AST, *names: str) -> bool:
    """Whether a part calls a function or method with one of these last names."""
    return any(
        isinstance(each, ast.Call) and last_name(each.func) in names for each in ast.walk(tree)
    )


def made_to_require_grad(part: ast.AST) -> ast.expr | None:
    """The ``x`` in ``x.requires_grad_()`` or ``x.requires_grad = True``; None for other parts."""
    match part:
        case ast.Call(func=ast.Attribute(value=owner, attr="requires_grad_"), args=args):
            return owner if not args or ast.unparse(args[0]) == "True" else None
        case ast.Assign(
            targets=[ast.Attribute(value=owner, attr="requires_grad")],
            value=ast.Constant(value=True),
        ):
            return owner
        case _:
            return None


def lines_of(tree: ast.stmt | ast.expr) -> range:
    """The lines of a statement or an expression."""
    return range(tree.lineno, (tree.end_lineno or tree.lineno) + 1)


def below(block: list[ast.stmt], at: int) -> list[ast.stmt]:
    """Statements of a block below the line of one; of those on its line, the order is unknown."""
    last = lines_of(block[at]).stop
    return [each for each in block[at + 1 :] if each.lineno >= last]


def assigns(tree: ast.AST, name: str) -> bool:
    """Whether a statement, or one inside of it, gives a variable a value."""
    return any(
        isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load)
        for each in ast.walk(tree)
    )


def names_in(tree: ast.AST) -> set[str]:
    """All variable names in an expression."""
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}


def names_computed_at(index: TraceIndex, location: Location | None) -> set[str]:
    """Variables that hold what a line computes, or depend on it."""
    file = parsed_file(index, location)
    if file is None or location is None:
        return set()
    assigned = sorted(
        (each for each in file.nodes if isinstance(each, ast.Assign | ast.AugAssign)),
        key=lambda each: each.lineno,
    )
    names: set[str] = set()
    for each in assigned:
        if location.line in lines_of(each) or (
            each.lineno > location.line and names & names_in(each.value)
        ):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            names |= {name for target in targets for name in names_in(target)}
    return names


def line_between(
    index: TraceIndex, after: Location | None, before: Location | None, name: str
) -> Location | None:
    """The call of a method between two lines of a file; None if there is none or not just one."""
    file = parsed_file(index, after)
    if file is None or after is None or before is None or before.source != after.source:
        return None
    calls = file.calls(name)
    found = {each.lineno: each for each in calls if after.line < each.lineno < before.line}
    return file.location(found.popitem()[1]) if len(found) == 1 else None

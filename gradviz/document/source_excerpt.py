"""The lines of source code around a place of a run."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, line_at
from gradviz.analysis.source_statements import StatementNode, nested_statements, parse_source
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.source import Location, SourceFile, source_lines, user_line
from gradviz.model.step import (
    DispatchStep,
    ErrorStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
)
from gradviz.text.position_names import position_location

MOST_LINES = 18
"""Lines of an excerpt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionLines:
    """The source lines of a position.

    Attributes:
        file: Number of the source file.
        first: First line, from 1.
        last: Last line.
        exact: Whether they ran there; otherwise they are the head of the function that did.
    """

    file: int
    first: int
    last: int
    exact: bool


def lines_at_position(index: TraceIndex, place: TracePosition) -> PositionLines | None:
    """The source lines of a position; None if it has none."""
    exact = position_location(index, place) or _step_location(index, place)
    location = exact or _function_location(index, place)
    if location is None or location.source is None or user_line(location) is None:
        return None
    line = line_at(index, place)
    last = location.line if line is None or exact is None else line.last_line
    return PositionLines(
        file=location.source, first=location.line, last=last, exact=exact is not None
    )


def _step_location(index: TraceIndex, place: TracePosition) -> Location | None:
    """The line at which a step without source of its own was called, or at which it raised."""
    step = step_at(index, place.step)
    if isinstance(step, PassBeginStep | ErrorStep | DispatchStep | OptimizerStep):
        return step.location
    return None


def _function_location(index: TraceIndex, place: TracePosition) -> Location | None:
    """Where the user's function that a place runs is defined; None if it runs none."""
    step = step_at(index, place.step)
    if isinstance(step, ForwardStep) and step.call is not None:
        call = index.call[step.call]
        return call.setup_context if place.stage == "setup_context" else call.forward
    made = index.node[step.node].call if isinstance(step, NodeStep) else None
    return None if made is None else index.call[made].backward


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceExcerpt:
    """Some lines of a source file.

    Attributes:
        file: Name of the file.
        first: Number of the first line.
        lines: The lines, without their common indentation.
        current: Numbers of the lines that the place is about.
    """

    file: str
    first: int
    lines: tuple[str, ...]
    current: range

    def focused(self, most: int) -> SourceExcerpt:
        """Return no more than the current lines if these are a whole function."""
        if len(self.current) < 3:
            return self.shortened(most)
        first = self.current.start - self.first
        lines = textwrap.dedent("\n".join(self.lines[first : first + len(self.current)]))
        return replace(self, first=self.current.start, lines=(*lines.split("\n"),)).shortened(most)

    def shortened(self, most: int) -> SourceExcerpt:
        """Return the excerpt with fewer lines, around the current ones."""
        count = len(self.lines)
        if count <= most:
            return self
        shown = self.current[:most]
        at = shown[0] - self.first - (most - len(shown)) // 2
        at = max(0, min(at, count - most))
        return replace(self, first=self.first + at, lines=self.lines[at : at + most])


def source_excerpt(index: TraceIndex, place: TracePosition) -> SourceExcerpt | None:
    """The source around a place; None if it has none."""
    found = lines_at_position(index, place)
    if found is None:
        return None
    source = index.source[found.file]
    lines = source_lines(source.text)
    exact = range(found.first, found.last + 1)
    around = _definitions_around(source.text, exact)
    block = around[-1] if around else exact
    current = exact if found.exact else block
    shown = _shown_lines(around, current, len(lines))
    while shown and not lines[shown[0] - 1].strip():
        shown = shown[1:]
    while shown and not lines[shown[-1] - 1].strip():
        shown = shown[:-1]
    return excerpt_of(source, shown, current) if shown else None


def definition_excerpt(index: TraceIndex, name: str) -> SourceExcerpt | None:
    """A function or class of the recorded source, whole.

    Args:
        index: The trace.
        name: Its name; one inside of a class may have that in front, as in ``Exp.forward``.

    Returns:
        None if no recorded file defines it.
    """
    for source in index.source.values():
        tree = parse_source(source.text)
        for own, lines in () if tree is None else _definitions(tree):
            if f".{own}".endswith(f".{name}"):
                return excerpt_of(source, lines, lines)
    return None


def excerpt_of(source: SourceFile, shown: range, current: range) -> SourceExcerpt:
    """Some lines of a file, with the numbers of those that it is about."""
    lines = source_lines(source.text)
    texts = [visible_text(lines[number - 1].expandtabs(8)).rstrip() for number in shown]
    return SourceExcerpt(
        file=visible_text(PurePath(source.path).name),
        first=shown[0],
        lines=tuple(textwrap.dedent("\n".join(texts)).split("\n")),
        current=current,
    )


def _definitions(tree: ast.Module) -> Iterator[tuple[str, range]]:
    """Functions and classes with the names of what they are in, and their lines."""
    # A stack, because a chain of elif is nested as deep as it is long.
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, within = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            within = f"{within}.{node.name}" if within else node.name
            yield within, _definition_lines(node)
        inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, StatementNode)]
        waiting += [(each, within) for each in reversed(inner)]


def _definition_lines(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> range:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _definitions_around(text: str, lines: range) -> list[range]:
    """Lines of the functions and classes around some lines, the outer ones first."""
    tree, found = parse_source(text), []
    for node in () if tree is None else nested_statements(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = _definition_lines(node)
            if lines[0] in inside and lines[-1] in inside:
                found.append(inside)
    return found


def _shown_lines(around: Sequence[range], current: range, total: int) -> range:
    """As much of the definitions around as fits, or else lines around the current ones."""
    for outer in around:
        for last in (outer[-1], around[-1][-1]):
            if last - outer[0] < MOST_LINES:
                return range(outer[0], last + 1)
    if len(current) >= MOST_LINES:
        return current[:MOST_LINES]
    within = around[-1] if around else range(1, total + 1)
    first = current[0] - (MOST_LINES - len(current)) // 2
    first = max(within[0], min(first, within[-1] + 1 - MOST_LINES))
    return range(first, min(within[-1], first + MOST_LINES - 1) + 1)

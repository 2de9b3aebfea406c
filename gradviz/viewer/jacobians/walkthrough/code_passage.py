"""Finds the lines of source that an idea is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.source import SourceFile
from gradviz.viewer.jacobians.walkthrough.ideas import CheckIdea
from gradviz.viewer.source.source_text import SourceText, text_of

_DEFINES = re.compile(r"\s*(async\s+)?def\s")
_RETURNS = re.compile(r"\s*return\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePassage:
    """Lines of one function.

    Attributes:
        text: The source.
        first: First line, from 1.
        last: Last line.
        marked: The lines to mark.
    """

    text: SourceText
    first: int
    last: int
    marked: frozenset[int]


def passage_of(index: TraceIndex, idea: CheckIdea, messages: Iterable[str]) -> CodePassage | None:
    """Return the function that messages are about, with their lines marked.

    Lines of backward that a message names come first, then those in which backward computes the
    gradient, then other named lines. If no line is known, it is backward as a whole, unmarked.

    Args:
        index: The trace, with its sources.
        idea: Its pair knows the lines of backward.
        messages: Texts in which lines are named by file name and number.
    """
    sources = {source.path: source for source in index.trace.sources}
    computing = () if idea.block is None else idea.block.lines
    texts = tuple(messages)
    named = [(source, line) for source in sources.values() for line in _named(source, texts)]
    known = [(sources[each.path], each.line) for each in computing if each.path in sources]
    functions = {_function(*each) for each in known}
    inside = [each for each in named if _function(*each) in functions]
    lines = inside or _without_return(known)[:1] or named
    return _passage(lines) if lines else _backward(index, sources)


def _named(source: SourceFile, texts: tuple[str, ...]) -> Iterable[int]:
    """Lines of a source that texts name, in whatever language."""
    pattern = re.compile(re.escape(PurePath(source.path).name) + r"\D{1,12}?(\d+)")
    found = chain.from_iterable(pattern.findall(text) for text in texts)
    count = len(text_of(source.text).lines)
    return [line for line in map(int, found) if 1 <= line <= count]


def _without_return(lines: list[tuple[SourceFile, int]]) -> list[tuple[SourceFile, int]]:
    """Leave out return statements, unless there is nothing else."""
    rest = [
        (source, line)
        for source, line in lines
        if not _RETURNS.match(text_of(source.text).lines[line - 1])
    ]
    return rest or lines


def _function(source: SourceFile, line: int) -> tuple[int, int, int]:
    """Return the source's number and the first and last line of the function around a line."""
    text = text_of(source.text)
    for start in range(line, 0, -1):
        if _DEFINES.match(text.lines[start - 1]):
            lines = text.function_at(start)
            if line in lines:
                # Without the decorators, which say nothing here.
                return source.id, start, lines.stop - 1
    return source.id, line, line


def _backward(index: TraceIndex, sources: dict[str, SourceFile]) -> CodePassage | None:
    """The backward of the run's only custom Function; None if there are several."""
    found = {each.backward for each in index.trace.calls if each.backward is not None}
    known = [(sources[each.path], each.line) for each in found if each.path in sources]
    if len(known) != 1:
        return None
    source, line = known[0]
    text = text_of(source.text)
    # The location can be that of a decorator.
    defined = (each for each in text.function_at(line) if _DEFINES.match(text.lines[each - 1]))
    _, first, last = _function(source, next(defined, line))
    return CodePassage(text=text, first=first, last=last, marked=frozenset())


def _passage(lines: list[tuple[SourceFile, int]]) -> CodePassage:
    source, _ = lines[0]
    _, first, last = _function(*lines[0])
    text = text_of(source.text)
    marked = {line for each, line in lines if each is source and first <= line <= last}
    whole = frozenset(
        chain.from_iterable(
            range(start, stop + 1) for start, stop in map(text.statement_at, marked)
        )
    )
    return CodePassage(text=text, first=first, last=last, marked=whole)

"""Parses source text without running it: lines, statements and syntax colors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.source_statements import SourceStatements, Statement, statements_of
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.syntax_colors import MOST_PARSED, SyntaxSpan, syntax_spans
from gradviz.model.source import SourceFile, source_lines
from gradviz.viewer.background import Background
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import plural

MOST_AT_ONCE = 4_000
"""Maximum number of characters parsed in the GUI thread."""

MOST_COLUMNS = 2_000
"""Maximum number of characters shown of a line."""


class SourceTextCache(QObject):
    """A cache of a trace's parsed sources.

    Args:
        state: The viewer state whose trace is shown.
        background: Parses long sources; without it, they are parsed at once, too.
        parent: The owner of this object.

    Signals:
        ready: Number of a source that has now been parsed.
    """

    ready = Signal(object)

    def __init__(
        self, state: ViewerState, background: Background | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._known: dict[int, SourceText] = {}
        state.trace_changed.connect(self._on_state_trace_changed)

    def get(self, source: SourceFile) -> SourceText:
        """Return a parsed source; a long one has no colors and statements at first."""
        text = self._known.get(source.id)
        if text is None:
            is_parsed_later = MOST_AT_ONCE < len(source.text) <= MOST_PARSED
            if is_parsed_later and self._background is not None:
                text = self._later(source)
            else:
                text = text_of(source.text)
            self._known[source.id] = text
        return text

    def _later(self, source: SourceFile) -> SourceText:
        plain = plain_text_of(source.text)
        known, background = self._known, self._background
        assert background is not None

        def done(text: SourceText) -> None:
            # The number would mean another source if the trace has changed.
            if known is self._known:
                known[source.id] = text
                self.ready.emit(source.id)

        background.start(
            lambda _job: text_of(source.text), done, lane=f"source {source.id}", computes=True
        )
        return plain

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if self._background is not None:
            for source in self._known:
                self._background.cancel(f"source {source}")
        self._known = {}


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceText:
    """A parsed source text.

    Attributes:
        lines: The lines without line endings.
        spans: The colored spans of each line.
        statements: The positions of the statements.
        is_too_long: Whether it is not parsed, as it is longer than `MOST_PARSED`.
    """

    lines: tuple[str, ...]
    spans: tuple[tuple[SyntaxSpan, ...], ...]
    statements: SourceStatements
    is_too_long: bool = False

    @cached_property
    def executable(self) -> frozenset[int]:
        """The first line of each statement that can run."""
        return self.statements.executable()

    def statement_at(self, line: int) -> tuple[int, int]:
        """Return a statement's first and last line, or the line itself if there is no statement."""
        found = self.statements.at(line)
        return (line, line) if found is None else (found.line, found.last_line)

    def function_at(self, line: int) -> range:
        """Return the lines of the function that starts here, including its decorators."""
        found = self._functions.get(line)
        if found is None:
            found = self._functions[line] = self._function_at(line)
        return found

    @cached_property
    def _functions(self) -> dict[int, range]:
        return {}

    def _function_at(self, line: int) -> range:
        head = self.statements.at(line)
        if head is None:
            return range(line, self._last_indented(line) + 1)
        indent = self._indent(head)
        last = head.last_line
        for each in self.statements:
            if each.line > last:
                if self._indent(each) <= indent:
                    break
                last = each.last_line
        return range(head.line, last + 1)

    def _last_indented(self, line: int) -> int:
        """Return the last line below a line that is indented further, for a text not parsed yet."""
        last, indent = line, indent_of(self.lines[line - 1])
        for at in range(line, len(self.lines)):
            if self.lines[at].strip():
                if indent_of(self.lines[at]) <= indent:
                    break
                last = at + 1
        return last

    def _indent(self, statement: Statement) -> int:
        text = self.lines[statement.line - 1]
        return len(text) - len(text.lstrip())


@lru_cache(maxsize=32)
def text_of(text: str) -> SourceText:
    """Parse a source text unless it is very long; the last few results are cached."""
    if len(text) > MOST_PARSED:
        return plain_text_of(text)
    lines = _lines(text)
    spans = syntax_spans(lines, MOST_COLUMNS)
    return SourceText(lines=_shown_lines(lines), spans=spans, statements=statements_of(text))


def plain_text_of(text: str) -> SourceText:
    """Return a source text that is only split into lines."""
    lines = _lines(text)
    return SourceText(
        lines=_shown_lines(lines),
        spans=((),) * len(lines),
        statements=SourceStatements(),
        is_too_long=len(text) > MOST_PARSED,
    )


def _lines(text: str) -> tuple[str, ...]:
    # QTextDocument also starts new lines at characters that are escaped here.
    return tuple([visible_text(line, lines=True) for line in source_lines(text)]) or ("",)


def _shown_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Cut lines that Qt would need seconds to lay out."""
    if max(map(len, lines)) <= MOST_COLUMNS:
        return lines
    return tuple(map(_shown_line, lines))


def _shown_line(line: str) -> str:
    more = len(line) - MOST_COLUMNS
    if more <= 0:
        return line
    text = plural.tr("{0}… (%Ln more character(s) in this line)", "", more)
    return text.replace("{0}", line[:MOST_COLUMNS])


def spans_of(line: str) -> tuple[SyntaxSpan, ...]:
    """Return the colored spans of a line by itself; only the start of a long one is colored."""
    return syntax_spans([line[:MOST_COLUMNS]], MOST_COLUMNS)[0]


def indent_of(line: str) -> int:
    """Return the number of characters before the code of a line."""
    return len(line) - len(line.lstrip())

"""The lines of source that a check is about, found and shown in large type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.model.source import SourceFile
from gradviz.viewer.jacobians.code_excerpt import CodeExcerpt, ExcerptView
from gradviz.viewer.source.source_text import SourceText, text_of
from gradviz.viewer.theme.theme import UI_PIXELS, Theme

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


def passage_of(
    index: TraceIndex, block: JacobianBlock | None, messages: Iterable[str]
) -> CodePassage | None:
    """Return the function that messages are about, with their lines marked.

    Lines of backward that a message names come first, then those in which backward computes the
    gradient, then other named lines. If no line is known, it is backward as a whole, unmarked.

    Args:
        index: The trace, with its sources.
        block: The pair, which knows the lines of backward; None if nothing was compared.
        messages: Texts in which lines are named by file name and number.
    """
    sources = {source.path: source for source in index.trace.sources}
    computing = () if block is None else block.lines
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
    text = text_of(source.text.expandtabs(4))
    # The location can be that of a decorator.
    defined = (each for each in text.function_at(line) if _DEFINES.match(text.lines[each - 1]))
    _, first, last = _function(source, next(defined, line))
    return CodePassage(text=text, first=first, last=last, marked=frozenset())


def _passage(lines: list[tuple[SourceFile, int]]) -> CodePassage:
    source, _ = lines[0]
    _, first, last = _function(*lines[0])
    text = text_of(source.text.expandtabs(4))
    marked = {line for each, line in lines if each is source and first <= line <= last}
    whole = frozenset(
        chain.from_iterable(
            range(start, stop + 1) for start, stop in map(text.statement_at, marked)
        )
    )
    return CodePassage(text=text, first=first, last=last, marked=whole)


_LEAST_PIXELS, _BAR = 10, 4


class PassageView(ExcerptView):
    """Shows a passage of source in large type; nothing if there is none.

    Args:
        theme: Colors and fonts.
        least: Smallest font size at scale 1; lines that do not fit then are left out.
        parent: The Qt parent.
    """

    def __init__(
        self, theme: Theme, *, least: int = _LEAST_PIXELS, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, range(UI_PIXELS, least - 1, -1), parent)
        self._passage: CodePassage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    @property
    def passage(self) -> CodePassage | None:
        """The passage; None if there is none."""
        return self._passage

    @property
    def shown(self) -> tuple[int, ...]:
        """Numbers of the visible lines."""
        if self._passage is None:
            return ()
        rows = self._excerpt(self._passage)[0].rows
        return tuple(dict.fromkeys(row.line for row in rows if row.line))

    @property
    def whole_height(self) -> int:
        """Height in pixels of all lines in the preferred font, if none is wrapped."""
        passage = self._passage
        return 0 if passage is None else self.height_of(passage.last - passage.first + 1)

    def show_passage(self, passage: CodePassage | None) -> None:
        """Show another passage, or hide."""
        self._passage = passage
        self.setVisible(passage is not None)
        if passage is not None:
            marked = (passage.text.lines[line - 1].strip() for line in sorted(passage.marked))
            self.setAccessibleName(self.tr("Code: {lines}").format(lines="\n".join(marked)))
        self.update()

    def _excerpt(self, passage: CodePassage) -> tuple[CodeExcerpt, int]:
        marked = passage.marked or {passage.first}
        lines = range(passage.first, passage.last + 1)
        return self.fitted(passage.text, lines, (min(marked), max(marked)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines, with a bar and another background at marked ones."""
        passage = self._passage
        if passage is None:
            return
        found, pixels = self._excerpt(passage)
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("raised"))
        painter.setFont(self._theme.font(pixels, mono=True))
        for row, box in zip(found.rows, self.row_boxes(len(found.rows), pixels), strict=True):
            if row.line in passage.marked:
                painter.fillRect(box, self._theme.color("error_fill"))
                bar = QRectF(0, box.top(), self._theme.px(_BAR), box.height())
                painter.fillRect(bar, self._theme.color("error"))
            self.paint_row(painter, passage.text, row, box)
        painter.end()

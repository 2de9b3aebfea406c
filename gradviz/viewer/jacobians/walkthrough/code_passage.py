"""The lines of source that an idea is about, found and shown in large type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import PurePath

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.source import SourceFile
from gradviz.viewer.jacobians.walkthrough.ideas import CheckIdea
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


_LEAST_PIXELS = 10
_EDGE, _BAR = 6, 4


class PassageView(QWidget):
    """Shows a passage of source with syntax colors; nothing if there is none."""

    def __init__(
        self, theme: Theme, *, least: int = _LEAST_PIXELS, parent: QWidget | None = None
    ) -> None:
        """Create a view without a passage.

        Args:
            theme: Colors and fonts.
            least: Smallest font size at scale 1; lines that do not fit then are left out.
            parent: The Qt parent.
        """
        super().__init__(parent)
        self._least = least
        self._theme = theme
        self._passage: CodePassage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    @property
    def passage(self) -> CodePassage | None:
        """The passage; None if there is none."""
        return self._passage

    @property
    def shown(self) -> tuple[int, ...]:
        """Numbers of the visible lines."""
        return tuple(number for number, _ in self._laid()[0])

    @property
    def whole_height(self) -> int:
        """Height in pixels of all lines in the preferred font, if none is wrapped."""
        if self._passage is None:
            return 0
        count = self._passage.last - self._passage.first + 1
        line = QFontMetricsF(self._theme.font(UI_PIXELS, mono=True)).height()
        return ceil(count * line) + 2 * self._theme.px(_EDGE)

    def show_passage(self, passage: CodePassage | None) -> None:
        """Show another passage, or hide."""
        self._passage = passage
        self.setVisible(passage is not None)
        if passage is not None:
            marked = (passage.text.lines[line - 1].strip() for line in sorted(passage.marked))
            self.setAccessibleName(self.tr("Code: {lines}").format(lines="\n".join(marked)))
        self.update()

    def _laid(self) -> tuple[list[tuple[int, QTextLayout]], QFont]:
        """Visible lines, wrapped where necessary, in the largest font in which most fit."""
        passage = self._passage
        if passage is None:
            return [], self.font()
        for pixels in range(UI_PIXELS, self._least - 1, -1):
            font = self._theme.font(pixels, mono=True)
            found = self._lines(passage, font)
            if sum(map(_height, found)) <= self._space():
                return found, font
        return self._cut(found, passage), font

    def _space(self) -> float:
        return self.height() - 2 * self._theme.px(_EDGE)

    def _lines(self, passage: CodePassage, font: QFont) -> list[tuple[int, QTextLayout]]:
        numbers = range(passage.first, passage.last + 1)
        texts = [passage.text.lines[number - 1] for number in numbers]
        indent = min((len(each) - len(each.lstrip()) for each in texts if each.strip()), default=0)
        found = []
        for number, text in zip(numbers, texts, strict=True):
            layout = QTextLayout(text[indent:], font)
            option = QTextOption()
            option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            layout.setTextOption(option)
            layout.setFormats(self._formats(passage, number, indent))
            _break(layout, text[indent:], self._width(), QFontMetricsF(font))
            found.append((number, layout))
        return found

    def _width(self) -> float:
        return self.width() - 2 * self._theme.px(_EDGE) - self._theme.px(_BAR)

    def _formats(
        self, passage: CodePassage, number: int, indent: int
    ) -> list[QTextLayout.FormatRange]:
        formats = []
        for start, length, role in passage.text.spans[number - 1]:
            colored = QTextLayout.FormatRange()
            colored.start, colored.length = max(0, start - indent), length
            colored.format.setForeground(self._theme.color(role))
            formats.append(colored)
        return formats

    def _cut(
        self, lines: list[tuple[int, QTextLayout]], passage: CodePassage
    ) -> list[tuple[int, QTextLayout]]:
        """Leave out lines far from the marked ones, until the others fit."""
        marked = passage.marked or {passage.first}
        middle = sum(marked) / len(marked)
        lines = list(lines)
        while len(lines) > 1 and sum(map(_height, lines)) > self._space():
            lines.pop(0 if middle - lines[0][0] > lines[-1][0] - middle else -1)
        return lines

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines, with a bar and another background at marked ones."""
        passage = self._passage
        if passage is None:
            return
        lines, _ = self._laid()
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("raised"))
        painter.setPen(self._theme.color("text"))
        edge, bar, top = self._theme.px(_EDGE), self._theme.px(_BAR), float(self._theme.px(_EDGE))
        for number, layout in lines:
            height = layout.boundingRect().height()
            if number in passage.marked:
                row = QRectF(0, top, self.width(), height)
                painter.fillRect(row, self._theme.color("error_fill"))
                painter.fillRect(QRectF(0, top, bar, height), self._theme.color("error"))
            layout.draw(painter, QPointF(edge + bar, top))
            top += height
        painter.end()


def _height(line: tuple[int, QTextLayout]) -> float:
    return line[1].boundingRect().height()


def _break(layout: QTextLayout, text: str, width: float, metrics: QFontMetricsF) -> None:
    """Lay a line out; what continues below is indented further."""
    hanging = metrics.horizontalAdvance(" " * (len(text) - len(text.lstrip()) + 4))
    layout.beginLayout()
    height = 0.0
    while (line := layout.createLine()).isValid():
        left = hanging if height else 0.0
        line.setLineWidth(max(1.0, width - left))
        line.setPosition(QPointF(left, height))
        height += line.height()
    layout.endLayout()

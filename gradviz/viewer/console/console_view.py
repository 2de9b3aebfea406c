"""The text view of a run's output, with the step of each line beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from gradviz.model.console import ConsoleText, Stream
from gradviz.viewer.console import KEYS
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import plural

_PADDING = 8
_AT_ONCE = 2000
"""Number of lines to insert before returning to the event loop."""
_MOST_IN_A_LINE = 5000
"""Most characters to show of one line, since long lines make each repaint slow."""


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """One line of the console.

    Attributes:
        text: The text without its line ending.
        step: The step that printed it; None outside of any step.
        stream: The stream that it was written to.
    """

    text: str
    step: int | None
    stream: Stream


def lines_of(texts: tuple[ConsoleText, ...]) -> list[ConsoleLine]:
    """Split texts into lines; a line printed in pieces gets the step of its first piece."""
    return list(lines_in(texts))


def lines_in(texts: tuple[ConsoleText, ...]) -> Iterator[ConsoleLine]:
    """Iterate over the lines of texts; see `lines_of`."""
    open_line: ConsoleLine | None = None
    for text in texts:
        for piece in text.text.splitlines(keepends=True):
            plain = piece.rstrip("\r\n")
            if open_line is not None and open_line.stream == text.stream:
                line = ConsoleLine(open_line.text + plain, open_line.step, open_line.stream)
            else:
                if open_line is not None:
                    yield open_line
                line = ConsoleLine(plain, text.step, text.stream)
            open_line = line if piece == plain else None
            if open_line is None:
                yield line
    if open_line is not None:
        yield open_line


class ConsoleView(QPlainTextEdit):
    """A read-only view of lines; clicking a line requests its step.

    Signals:
        step_requested: Number of the step.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: list[ConsoleLine] = []
        self._rest: Iterator[ConsoleLine] = iter(())
        self._first_rows: dict[int, int] = {}
        self._current: int | None = None
        self._filling = QTimer(self, interval=0)
        self._filling.timeout.connect(self._on_filling_timeout)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setUndoRedoEnabled(False)
        self._gutter = _Gutter(self)
        self.updateRequest.connect(self._gutter.follow)
        self.verticalScrollBar().valueChanged.connect(self._mark)
        set_theme_font(self, theme, SMALL_PIXELS, mono=True)
        set_theme_font(self._gutter, theme, SMALL_PIXELS - 1)
        self.update_theme()

    @property
    def is_complete(self) -> bool:
        """Whether all lines have been inserted."""
        return not self._filling.isActive()

    @property
    def lines(self) -> tuple[ConsoleLine, ...]:
        """The lines that have been inserted so far."""
        return tuple(self._lines)

    @property
    def theme(self) -> Theme:
        """The theme to draw with."""
        return self._theme

    @property
    def highlighted(self) -> tuple[str, ...]:
        """The lines that the current step printed."""
        return tuple(line.text for line in self._lines if self._is_current(line))

    def show_lines(self, lines: Iterable[ConsoleLine]) -> None:
        """Show other lines; many lines are inserted gradually."""
        self._lines, self._first_rows = [], {}
        self._rest = iter(lines)
        self.clear()
        self._filling.start()
        self._on_filling_timeout()

    def show_step(self, number: int) -> None:
        """Highlight the lines of a step and scroll to the first one."""
        self._current = number
        row = self._first_rows.get(number)
        if row is not None:
            self.setTextCursor(QTextCursor(self.document().findBlockByNumber(row)))
        self._mark()

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self.setViewportMargins(self._gutter.sizeHint().width(), 0, 0, 0)
        self._place_gutter()
        self._mark()

    def line_at(self, row: int) -> ConsoleLine | None:
        """The line at a row, counted from 0; None if there is none."""
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def go_to_row(self, row: int) -> None:
        """Request the step that printed a line."""
        line = self.line_at(row)
        if line is not None and line.step is not None:
            self.step_requested.emit(line.step)

    def _is_current(self, line: ConsoleLine) -> bool:
        return line.step is not None and line.step == self._current

    def _mark(self) -> None:
        """Color the lines of stderr, and the background of the current step's lines.

        Only visible lines are colored, because there can be a hundred thousand lines.
        """
        current, errors = QTextCharFormat(), QTextCharFormat()
        current.setBackground(self._theme.color("current_line"))
        current.setProperty(QTextFormat.Property.FullWidthSelection, True)
        errors.setForeground(self._theme.color("error"))
        # Behind another tab, the view can be so low that no line is visible: then it is -1.
        first = max(0, self.firstVisibleBlock().blockNumber())
        seen = range(first, min(first + self._rows_in_sight(), len(self._lines)))
        marks = [self._marked(r, current) for r in seen if self._is_current(self._lines[r])]
        marks += [self._marked(r, errors) for r in seen if self._lines[r].stream == "stderr"]
        self.setExtraSelections(marks)
        self._gutter.update()

    def _rows_in_sight(self) -> int:
        return self.viewport().height() // max(1, self.fontMetrics().lineSpacing()) + 2

    def _take(self, lines: list[ConsoleLine]) -> None:
        """Append lines."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        text = "\n".join(_short(line.text) for line in lines)
        cursor.insertText(f"\n{text}" if self._lines else text)
        for row, line in enumerate(lines, len(self._lines)):
            if line.step is not None:
                self._first_rows.setdefault(line.step, row)
        self._lines += lines

    @Slot()
    def _on_filling_timeout(self) -> None:
        waited = self._current is not None and self._current not in self._first_rows
        lines = list(islice(self._rest, _AT_ONCE))
        if lines:
            self._take(lines)
        if len(lines) < _AT_ONCE:
            self._filling.stop()
        if waited and self._current in self._first_rows:
            self.show_step(self._current)
        else:
            self._mark()

    def _marked(self, row: int, style: QTextCharFormat) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(self.document().findBlockByNumber(row))
        if not style.hasProperty(QTextFormat.Property.FullWidthSelection):
            cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        mark = QTextEdit.ExtraSelection()
        mark.format, mark.cursor = style, cursor
        return mark

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the gutter beside the lines."""
        super().resizeEvent(event)
        self._place_gutter()
        self._mark()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        width = self._gutter.sizeHint().width()
        self._gutter.setGeometry(QRect(inside.topLeft(), QSize(width, inside.height())))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the step of the clicked line, unless text was selected."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.go_to_row(self.cursorForPosition(event.position().toPoint()).blockNumber())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the step of the line at the cursor with Enter."""
        if pressed(KEYS, event) == "step":
            self.go_to_row(self.textCursor().blockNumber())
        else:
            super().keyPressEvent(event)

    def paint_gutter(self, painter: QPainter, gutter: QWidget) -> None:
        """Paint the step of each visible line, and ``err`` at lines of stderr."""
        painter.fillRect(gutter.rect(), self._theme.color("raised"))
        painter.setFont(gutter.font())
        block = self.firstVisibleBlock()
        before: int | None = None
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > gutter.height():
                break
            line = self.line_at(block.blockNumber())
            if line is not None:
                place = QRect(_PADDING, round(box.top()), gutter.width() - 12, round(box.height()))
                self._write(painter, place, line, before)
                before = line.step
            block = block.next()

    def _write(
        self, painter: QPainter, place: QRect, line: ConsoleLine, before: int | None
    ) -> None:
        if line.stream == "stderr":
            painter.setPen(self._theme.color("error"))
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft, self.tr("err"))
        if line.step is not None and line.step != before:
            role = self._theme.color("accent" if self._is_current(line) else "gutter_text")
            painter.setPen(role)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, str(line.step))


def _short(text: str) -> str:
    if len(text) <= _MOST_IN_A_LINE:
        return text
    left = len(text) - _MOST_IN_A_LINE
    more = plural.tr("{0}… (%Ln more character(s) in this line)", "", left)
    return more.format(text[:_MOST_IN_A_LINE])


class _Gutter(QWidget):
    """The column left of the lines that shows their steps."""

    def __init__(self, view: ConsoleView) -> None:
        super().__init__(view)
        self._view = view
        self.setToolTip(self.tr("The step that printed the line; click to go there"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def follow(self, area: QRect, scrolled: int) -> None:
        """Scroll with the lines."""
        if scrolled:
            self.scroll(0, scrolled)
        else:
            self.update(0, area.y(), self.width(), area.height())

    def sizeHint(self) -> QSize:
        """Wide enough for ``err`` and a number of five digits."""
        return QSize(self.fontMetrics().horizontalAdvance("err 00000") + 2 * _PADDING, 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the steps of the visible lines."""
        painter = QPainter(self)
        self._view.paint_gutter(painter, self)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step of the line beside the mouse."""
        place = event.position().toPoint()
        place.setX(0)
        self._view.go_to_row(self._view.cursorForPosition(place).blockNumber())

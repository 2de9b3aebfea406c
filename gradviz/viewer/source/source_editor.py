"""The editor that takes the place of the source pane while a file is edited."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from gradviz.viewer.source.source_text import spans_of
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.elided_label import ElidedLabel
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_INDENT = "    "
_UNCOLORED = -1


class EditableCode(QPlainTextEdit):
    """Python text with line numbers.

    Args:
        theme: Colors and fonts.

    Signals:
        save_pressed: The text is to be saved, as by Ctrl+S.
        left: The editor is to be closed, as by Esc.
    """

    save_pressed = Signal()
    left = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._wrong_line = 0
        self._numbers = _LineNumbers(self)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.blockCountChanged.connect(self._on_block_count_changed)
        self.cursorPositionChanged.connect(self._mark_lines)
        self.updateRequest.connect(self._on_update_requested)
        set_theme_font(self, theme, SMALL_PIXELS, mono=True)
        self.update_theme()

    def show_text(self, text: str) -> None:
        """Replace the text, and forget what could be undone."""
        self.setPlainText(text)
        self.mark(0)

    def go_to(self, line: int) -> None:
        """Put the cursor into a line, numbered from 1, and scroll to it."""
        block = self.document().findBlockByNumber(line - 1)
        cursor = QTextCursor(block if block.isValid() else self.document().lastBlock())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        self.setTextCursor(cursor)
        self.centerCursor()
        # The start of a long line tells more than its end.
        self.horizontalScrollBar().setValue(0)

    def mark(self, line: int) -> None:
        """Mark a line that is wrong; 0 for none."""
        self._wrong_line = line
        self._mark_lines()

    def _mark_lines(self) -> None:
        """Mark the line with the cursor, and over it the one that is wrong."""
        marked = {self.textCursor().blockNumber(): self._theme.color("current_line")}
        if self._wrong_line:
            marked[self._wrong_line - 1] = self._theme.color("error_fill")
        found = []
        for number, color in marked.items():
            selection = QTextEdit.ExtraSelection()
            selection.cursor = QTextCursor(self.document().findBlockByNumber(number))
            selection.format.setBackground(color)
            selection.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            found.append(selection)
        self.setExtraSelections(found)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        block = self.document().begin()
        while block.isValid():
            block.setUserState(_UNCOLORED)
            block = block.next()
        self.mark(self._wrong_line)
        self._on_block_count_changed()

    def paint_numbers(self, painter: QPainter, width: int) -> None:
        """Paint the numbers of the visible lines, right-aligned."""
        painter.setFont(self.font())
        painter.setPen(self._theme.color("text_muted"))
        for block, box in self._visible_blocks():
            place = QRect(0, int(box.top()), width - self._theme.px(6), int(box.height()))
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))

    def _visible_blocks(self) -> Iterator[tuple[QTextBlock, QRectF]]:
        block, height = self.firstVisibleBlock(), self.viewport().height()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > height:
                break
            yield block, box
            block = block.next()

    def _color(self, block: QTextBlock) -> None:
        """Color a line by itself; a string over several lines stays uncolored."""
        text = block.text()
        # The state of a line tells which text it was colored for.
        state = hash(text) & 0x7FFF_FFFF
        if block.userState() == state:
            return
        block.setUserState(state)
        found = []
        for start, length, role in spans_of(text):
            span = QTextLayout.FormatRange()
            span.start, span.length = start, length
            span.format.setForeground(self._theme.color(role))
            found.append(span)
        block.layout().setFormats(found)

    def numbers_width(self) -> int:
        """Width of the line numbers, in pixels."""
        digits = max(3, len(str(self.blockCount())))
        return digits * self.fontMetrics().horizontalAdvance("9") + self._theme.px(12)

    def _on_block_count_changed(self) -> None:
        self.setViewportMargins(self.numbers_width(), 0, 0, 0)

    def _on_update_requested(self, area: QRect, scrolled: int) -> None:
        self._numbers.update()

    def event(self, event: QEvent) -> bool:
        """Take Ctrl+S and Esc before the window's commands do."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_save = event.matches(QKeySequence.StandardKey.Save)
            if is_save or event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Save with Ctrl+S, leave with Esc, indent with Tab, keep the indent with Enter.

        Home goes to the first character of the line, and from there to the margin.
        """
        if event.matches(QKeySequence.StandardKey.Save):
            self.save_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfLine):
            self._go_to_start(QTextCursor.MoveMode.MoveAnchor)
        elif event.matches(QKeySequence.StandardKey.SelectStartOfLine):
            self._go_to_start(QTextCursor.MoveMode.KeepAnchor)
        elif event.key() == Qt.Key.Key_Tab and not event.modifiers():
            self.textCursor().insertText(_INDENT)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            before = self.textCursor().block().text()[: self.textCursor().positionInBlock()]
            deeper = _INDENT if before.rstrip().endswith(":") else ""
            indent = before[: len(before) - len(before.lstrip())] + deeper
            self.textCursor().insertText("\n" + indent)
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)

    def _go_to_start(self, mode: QTextCursor.MoveMode) -> None:
        cursor = self.textCursor()
        text = cursor.block().text()
        first = len(text) - len(text.lstrip())
        column = 0 if cursor.positionInBlock() == first else first
        cursor.setPosition(cursor.block().position() + column, mode)
        self.setTextCursor(cursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Color the visible lines first, as a long file takes seconds to color."""
        for block, _ in self._visible_blocks():
            self._color(block)
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the line numbers beside the text, and the cursor in sight if it was."""
        before = event.oldSize()
        seen = not before.isValid() or QRect(QPoint(), before).intersects(self.cursorRect())
        super().resizeEvent(event)
        if seen and not self.viewport().rect().contains(self.cursorRect()):
            self.centerCursor()
        self._numbers.setGeometry(QRect(0, 0, self.numbers_width(), self.height()))


class _LineNumbers(QWidget):
    """The line numbers left of the text."""

    def __init__(self, code: EditableCode) -> None:
        super().__init__(code)
        self._code = code

    def sizeHint(self) -> QSize:
        """Return the width of the numbers."""
        return QSize(self._code.numbers_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the numbers."""
        painter = QPainter(self)
        self._code.paint_numbers(painter, self.width())
        painter.end()


class SourceEditor(QWidget):
    """A file's text with Save and Done, and a sentence on what is wrong with it.

    Args:
        theme: Colors and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.title = ElidedLabel(pixels=SMALL_PIXELS, bold=True)
        self.message = PlainLabel(pixels=SMALL_PIXELS)
        self.code = EditableCode(theme)
        self.save = QPushButton(self.tr("Save and Run"))
        self.save.setToolTip(self.tr("Save the file, run it, and repeat the last check (Ctrl+S)"))
        self.done = QPushButton(self.tr("Done"))
        self.done.setToolTip(self.tr("Go back to the recorded source (Esc)"))
        FocusRing(self.code)
        self._head = lay_out(QHBoxLayout(), (self.title, 1), self.save, self.done, gap=8)
        lay_out(QVBoxLayout(self), self._head, self.message, (self.code, 1), gap=0)
        self.save.clicked.connect(self.code.save_pressed)
        self.done.clicked.connect(self.code.left)
        self._theme = theme
        self.update_theme()
        self.say("")

    def say(self, text: str, line: int = 0) -> None:
        """Show a sentence and mark its line; an empty text hides both."""
        show_text(self.message, text)
        self.code.mark(line)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self._head.setContentsMargins(
            self._theme.px(8), self._theme.px(2), self._theme.px(4), self._theme.px(2)
        )
        self.message.setContentsMargins(self._theme.px(8), 0, self._theme.px(8), self._theme.px(2))

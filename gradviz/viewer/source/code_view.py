"""A read-only source view with a note beside each line about what it assigned."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextLayout,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.arithmetic.code_names import CodeNames
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.source import KEYS
from gradviz.viewer.source.gutter import Gutter
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.source.line_notes import NoteContext, paint_frame, paint_note
from gradviz.viewer.source.source_text import SourceText
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

_AROUND = 2
"""Lines of context kept visible above and below the current block."""


STEPPING = ("next", "previous", "first", "last", "into", "out")
"""Key commands that step through the run instead of moving the text cursor."""


class CodeView(QPlainTextEdit):
    """Shows source text read-only; marks and colors are computed for visible lines only.

    Signals:
        line_chosen: Number of a line that was clicked or on which Enter was pressed.
        line_entered: Number of a line that was double-clicked.
        breakpoint_toggled: Number of the line beside which the gutter was clicked.
    """

    line_chosen = Signal(object)
    line_entered = Signal(object)
    breakpoint_toggled = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text: SourceText | None = None
        self._colored: set[int] = set()
        self._hovered = 0
        self._rows: LineMarks | None = None
        self._names: CodeNames | None = None
        self._chosen_at: QPoint | None = None
        self.setReadOnly(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.viewport().setMouseTracking(True)
        self._gutter = Gutter(self, theme, parent=self)
        self._gutter.clicked.connect(self.breakpoint_toggled)
        self.updateRequest.connect(self._on_update_requested)
        self.verticalScrollBar().valueChanged.connect(self._on_bar_moved)
        self.set_theme(theme)

    @property
    def gutter(self) -> Gutter:
        """The column with line numbers, execution signs and breakpoints."""
        return self._gutter

    @property
    def rows(self) -> LineMarks | None:
        """The passage shown, with the marks of its lines; None before the first one."""
        return self._rows

    def show_rows(self, rows: LineMarks, *, active: bool) -> None:
        """Show a passage and scroll its current block into view.

        Args:
            rows: The passage with the marks of its lines.
            active: Whether the passage contains the current step; the other half of a Function
                does not.
        """
        self._rows = rows
        self._gutter.set_active(active)
        if rows.text is not self._text:
            same = self._text is not None and self._text.lines == rows.text.lines
            self._text = rows.text
            if not same:
                self.setPlainText("\n".join(rows.text.lines))
            self._colored.clear()
            self._place_gutter()
        self._bring_into_sight(*rows.block)
        self._take_cursor(*rows.block)
        self._mark()
        self.viewport().update()

    def show_names(self, names: CodeNames | None) -> None:
        """Mark the statement that computed an element, and its operands in it; None ends it."""
        if names != self._names:
            self._names = names
            if names is not None:
                self._bring_into_sight(*names.lines)
            self._mark()

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        self.setFont(theme.font(SMALL_PIXELS, mono=True))
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self._gutter.set_theme(theme)
        self._place_gutter()
        self._colored.clear()
        self._mark()

    def boxes(self) -> list[tuple[int, QRectF]]:
        """Return the number and box of each visible line, in viewport pixels."""
        found: list[tuple[int, QRectF]] = []
        block, height = self.firstVisibleBlock(), self.viewport().height()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > height:
                break
            found.append((block.blockNumber() + 1, box))
            block = block.next()
        return found

    def line_at(self, place: QPoint) -> int:
        """Return the line number at a viewport position, or 0 below the last line."""
        found = (line for line, box in self.boxes() if box.top() <= place.y() < box.bottom())
        return next(found, 0)

    def notes(self) -> dict[int, str]:
        """Return the notes beside the visible lines, by line number."""
        rows = self._rows
        if rows is None:
            return {}
        found = ((line, rows.mark(line).note) for line, _ in self.boxes())
        return {line: note for line, note in found if note}

    def _color(self, line: int, block: QTextBlock) -> None:
        """Apply syntax colors to a line that has become visible."""
        if self._text is None or line in self._colored:
            return
        self._colored.add(line)
        spans = self._text.spans[line - 1]
        block.layout().setFormats([self._range(*span) for span in spans])
        self.document().markContentsDirty(block.position(), block.length())

    def _range(self, start: int, length: int, role: PaletteRole) -> QTextLayout.FormatRange:
        style = QTextCharFormat()
        style.setForeground(self._theme.color(role))
        style.setFontItalic(role == "code_comment")
        found = QTextLayout.FormatRange()
        found.start, found.length, found.format = start, length, style
        return found

    def _bring_into_sight(self, first: int, last: int) -> None:
        """Scroll only if the block is not fully visible, and then to about a third of the view."""
        height = max(1, round(self.blockBoundingRect(self.firstVisibleBlock()).height()))
        seen = max(1, self.viewport().height() // height)
        top = self.firstVisibleBlock().blockNumber() + 1
        margin = _AROUND if seen > 2 * _AROUND + 1 else 0
        if top + margin <= first and last <= top + seen - 1 - margin:
            return
        if first <= top + margin and top == 1 and last <= seen - margin:
            return
        self.verticalScrollBar().setValue(max(0, first - 1 - max(margin, (seen - 1) // 3)))

    def _take_cursor(self, first: int, last: int) -> None:
        """Move the cursor to the current block unless text is selected."""
        cursor = self.textCursor()
        if not cursor.hasSelection() and not first <= cursor.blockNumber() + 1 <= last:
            block = self.document().findBlockByNumber(first - 1)
            cursor.setPosition(block.position() + _indent_of(block.text()))
            self.setTextCursor(cursor)

    def _mark(self) -> None:
        """Set the background and text color of the visible lines."""
        rows = self._rows
        if rows is None:
            return
        first, last = rows.block
        ground, muted = QTextCharFormat(), QTextCharFormat()
        raised = bool(rows.passage.raised)
        ground.setBackground(self._theme.color("error_fill" if raised else "current_line"))
        ground.setProperty(QTextFormat.Property.FullWidthSelection, True)
        muted.setForeground(self._theme.color("text_muted"))
        marks: list[QTextEdit.ExtraSelection] = []
        for line, _ in self.boxes():
            block = self.document().findBlockByNumber(line - 1)
            self._color(line, block)
            if self._gutter.active and first <= line <= last:
                marks.append(_selection(block, ground, whole=False))
            elif rows.mark(line).sign == "never":
                marks.append(_selection(block, muted, whole=True))
        self.setExtraSelections([*marks, *self._name_marks()])
        self._gutter.update()

    def _name_marks(self) -> Iterator[QTextEdit.ExtraSelection]:
        """Yield the marks of the statement that computed an element, and of its operands."""
        if self._names is None:
            return
        ground, style = QTextCharFormat(), QTextCharFormat()
        ground.setBackground(self._theme.color("backward_fill"))
        ground.setProperty(QTextFormat.Property.FullWidthSelection, True)
        for line in range(self._names.lines[0], self._names.lines[1] + 1):
            yield _selection(self.document().findBlockByNumber(line - 1), ground, whole=False)
        style.setForeground(self._theme.color("backward"))
        style.setFontUnderline(True)
        style.setFontWeight(QFont.Weight.Bold)
        for line, start, length in self._names.spans:
            cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
            cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.MoveAnchor, start)
            cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.KeepAnchor, length)
            mark = QTextEdit.ExtraSelection()
            mark.format, mark.cursor = style, cursor
            yield mark

    def _place_gutter(self) -> None:
        width = self._gutter.sizeHint().width()
        self.setViewportMargins(width, 0, 0, 0)
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.topLeft(), QSize(width, inside.height())))

    @Slot(QRect, int)
    def _on_update_requested(self, area: QRect, scrolled: int) -> None:
        self._gutter.update()
        if scrolled:
            # Notes over the ends of lines do not scroll sideways with the text.
            self.viewport().update()

    @Slot(int)
    def _on_bar_moved(self, value: int) -> None:
        self._mark()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, then the notes and the frame of the current lines."""
        super().paintEvent(event)
        if self._rows is None or self._text is None:
            return
        painter = QPainter(self.viewport())
        active, hovered = self._gutter.active, self._hovered
        paper = NoteContext(painter, self, self._theme, self._rows, active, hovered)
        for line, box in self.boxes():
            paint_note(paper, line, box)
        paint_frame(paper, self.boxes())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the gutter beside the lines and the current block visible."""
        super().resizeEvent(event)
        self._place_gutter()
        if self._rows is not None and event.oldSize().height() != event.size().height():
            self._bring_into_sight(*self._rows.block)
        self._mark()

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the whole note as a tooltip, as it may be cut off in the view."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            note = "" if self._rows is None else self._rows.mark(self.line_at(event.pos())).note
            QToolTip.showText(event.globalPos(), plain_tooltip(note), self.viewport())
            return True
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Uncover the line under the mouse if a note covers its end."""
        super().mouseMoveEvent(event)
        self._hover(self.line_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Show the hidden note again."""
        super().leaveEvent(event)
        self._hover(0)

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a click began."""
        self._chosen_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit `line_chosen` unless the drag selected text."""
        super().mouseReleaseEvent(event)
        line = self.line_at(event.position().toPoint())
        left = event.button() == Qt.MouseButton.LeftButton
        if left and line and self._chosen_at is not None and not self.textCursor().hasSelection():
            self.line_chosen.emit(line)
        self._chosen_at = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Emit `line_entered` without selecting the word, which would block the next click."""
        line = self.line_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and line:
            self._chosen_at = None
            self.line_entered.emit(line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the stepping keys to the panel; with Shift they select text."""
        if pressed(KEYS, event) in STEPPING:
            event.ignore()
        else:
            super().keyPressEvent(event)


def _selection(
    block: QTextBlock, style: QTextCharFormat, *, whole: bool
) -> QTextEdit.ExtraSelection:
    cursor = QTextCursor(block)
    if whole:
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
    found = QTextEdit.ExtraSelection()
    found.format, found.cursor = style, cursor
    return found


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())

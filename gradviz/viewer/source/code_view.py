"""A read-only source view with a note beside each line about what it assigned."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
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
from gradviz.viewer.source.line_marks import LineMarks, line_selection, operand_selections
from gradviz.viewer.source.source_text import SourceText, indent_of
from gradviz.viewer.source.value_text import (
    MOST_ROWS,
    GapLayout,
    box_height,
    box_place,
    columns_in,
    paint_box,
    wrap_values,
)
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.plain_text import plain_tooltip

MOST_LINES = 4_000
"""Lines that the document holds at once. Qt needs a second for 200,000."""

_NOTE_GAP, _NOTE_EDGE = 18, 4
"""Pixels between a line and its note, and at least right of the note."""

STEPPING = ("next", "previous", "first", "last", "into", "out")
"""Key commands that step through the run instead of moving the text cursor."""


class CodeView(QPlainTextEdit):
    """Shows source text read-only; marks and colors are computed for visible lines only.

    Attributes:
        gutter: The column with line numbers, execution signs and breakpoints.
        rows: The passage shown, with the marks of its lines; None before the first one.
        values: The rows of the box below the current block; empty if there is none.

    Signals:
        line_chosen: Number of a line that was clicked or on which Enter was pressed.
        line_entered: Number of a line that was double-clicked.
        extent_changed: The lines that can be scrolled to have changed.
    """

    line_chosen = Signal(object)
    line_entered = Signal(object)
    extent_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text: SourceText | None = None
        self._colored: set[int] = set()
        self._above = 0
        self._is_filling = False
        self.rows: LineMarks | None = None
        self._names: CodeNames | None = None
        self._chosen_at: QPoint | None = None
        self.values: tuple[str, ...] = ()
        self._painted: tuple[object, ...] = ()
        self._gaps = GapLayout(self.document())
        self.document().setDocumentLayout(self._gaps)
        self.setReadOnly(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.gutter = Gutter(self, theme, parent=self)
        self.updateRequest.connect(self._on_update_requested)
        self.verticalScrollBar().valueChanged.connect(self._on_bar_moved)
        set_theme_font(self, theme, SMALL_PIXELS, mono=True)
        self.update_theme()

    @property
    def extent(self) -> range:
        """The numbers of the lines that can be scrolled to; not all of a very long text."""
        return range(self._above + 1, self._above + self.blockCount() + 1)

    @property
    def is_too_long(self) -> bool:
        """Whether the text is too long to be colored."""
        return self._text is not None and self._text.is_too_long

    @property
    def cursor_line(self) -> int:
        """Number of the line with the cursor."""
        return self._line_of(self.textCursor().block())

    def line_count(self) -> int:
        """Return the number of lines of the whole text."""
        return 1 if self._text is None else len(self._text.lines)

    def show_rows(self, rows: LineMarks, *, active: bool) -> None:
        """Show a passage and scroll its current block into view.

        Args:
            rows: The passage with the marks of its lines.
            active: Whether the passage contains the current step; the other half of a Function
                does not.
        """
        self.rows = rows
        self.gutter.set_active(active)
        if rows.text is not self._text:
            before, self._text = self._text, rows.text
            if before is None or before.lines != rows.text.lines:
                self._fill(rows.block[0])
            self._colored.clear()
            self._place_gutter()
        self._make_space()
        self._bring_into_sight(*rows.block)
        self._take_cursor(*rows.block)
        painted, self._painted = self._painted, self._appearance()
        if self._painted != painted:
            self._mark()
            self.viewport().update()

    def _appearance(self) -> tuple[object, ...]:
        """Return all that is painted of the passage; most steps stay at the same line."""
        rows = self.rows
        if rows is None:
            return ()
        passage = rows.passage
        lines = [(line, rows.mark(line)) for line, _ in self.boxes()]
        look = (passage.phase, passage.raised, self.gutter.active, self.values)
        return (rows.text, rows.block, look, lines)

    def show_names(self, names: CodeNames | None) -> None:
        """Mark the statement that computed an element, and its operands in it; None ends it."""
        if names != self._names:
            self._names = names
            if names is not None:
                self._bring_into_sight(*names.lines)
            self._mark()

    def update_theme(self) -> None:
        """Repaint with another theme."""
        tab = 4 * self.fontMetrics().horizontalAdvance(" ")
        has_other_size = tab != self.tabStopDistance()
        self.setTabStopDistance(tab)
        self._place_gutter()
        self._colored.clear()
        self._make_space()
        # Other colors leave what the user has scrolled to.
        if has_other_size and self.rows is not None:
            self._bring_into_sight(*self.rows.block)
        self._mark()

    def boxes(self) -> list[tuple[int, QRectF]]:
        """Return the number and box of each visible line, in viewport pixels."""
        found: list[tuple[int, QRectF]] = []
        block, height = self.firstVisibleBlock(), self.viewport().height()
        # Qt's `blockBoundingGeometry` starts again at the first visible line for each line.
        corner = self.contentOffset()
        number = self._line_of(block)
        while block.isValid() and corner.y() <= height:
            line, space = self._gaps.line_and_space(block)
            found.append((number, line.translated(corner)))
            corner += QPointF(0, line.height() + space)
            block, number = block.next(), number + 1
        return found

    def line_at(self, place: QPoint) -> int:
        """Return the line number at a viewport position, or 0 below the last line.

        The box of values belongs to the line above it.
        """
        for line, box in self.boxes():
            if box.top() <= place.y() < box.bottom() + self._gap_below(line):
                return line
        return 0

    def notes(self) -> dict[int, str]:
        """Return the notes beside the visible lines, by line number."""
        rows = self.rows
        if rows is None:
            return {}
        found = ((line, rows.mark(line).note) for line, _ in self.boxes())
        return {line: note for line, note in found if note}

    def _block_of(self, line: int) -> QTextBlock:
        return self.document().findBlockByNumber(line - self.extent.start)

    def _gap_below(self, line: int) -> float:
        return self._gaps.gap_below(line - self._above)

    def _line_of(self, block: QTextBlock) -> int:
        return self._above + block.blockNumber() + 1

    def _fill(self, line: int) -> None:
        """Fill the document with the text, or with a part of a long one around a line."""
        assert self._text is not None
        lines = self._text.lines
        self._above = max(0, min(line - MOST_LINES // 2, len(lines) - MOST_LINES))
        self._colored.clear()
        self._is_filling = True
        self.setPlainText("\n".join(lines[self._above : self._above + MOST_LINES]))
        self._is_filling = False
        self.extent_changed.emit()

    def _make_space(self) -> None:
        """Fit the box to the values of the current statement and to the width of the view."""
        rows, self.values = self.rows, ()
        if rows is None:
            return
        first, last = rows.block
        values = rows.mark(rows.text.statement_at(first)[0]).values if self.gutter.active else ()
        if values:
            width = self.viewport().width() - self._box_left() - self._theme.px(4)
            self.values = wrap_values(values, columns_in(width, self._theme))
        height = box_height(len(self.values), self._theme)
        most = box_height(MOST_ROWS, self._theme)
        if self._gaps.set_gap(last - self._above if height else 0, height, most):
            self.viewport().update()

    def _box_left(self) -> float:
        """Return where the box starts: at the indent of its line if that leaves enough space."""
        assert self.rows is not None
        first = self.rows.block[0]
        line = "".join(self.rows.text.lines[first - 1 : first])
        indent = self.fontMetrics().horizontalAdvance(" ") * indent_of(line)
        return min(indent, self.viewport().width() / 4) + self.document().documentMargin()

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
        """Scroll the current line into the middle, so that it is the fifth of nine.

        All of its block is in sight if it fits. The other half of a Function begins at the top.
        """
        if first not in self.extent or min(last, first + MOST_LINES // 4) not in self.extent:
            self._fill(first)
        height = max(1.0, self.fontMetrics().lineSpacing())
        seen = max(1, int(self.viewport().height() / height))
        above = (seen - 1) // 2 if self.gutter.active else 0
        new = max(1, first - above, min(first, last - seen + 1))
        self.verticalScrollBar().setValue(new - self.extent.start)

    def _take_cursor(self, first: int, last: int) -> None:
        """Move the cursor to the current block unless text is selected."""
        cursor = self.textCursor()
        if not cursor.hasSelection() and not first <= self.cursor_line <= last:
            block = self._block_of(first)
            cursor.setPosition(block.position() + indent_of(block.text()))
            self.setTextCursor(cursor)

    def _mark(self) -> None:
        """Set the background and text color of the visible lines."""
        rows = self.rows
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
            block = self._block_of(line)
            self._color(line, block)
            if self.gutter.active and first <= line <= last:
                marks.append(line_selection(block, ground))
            elif rows.mark(line).sign == "never":
                marks.append(line_selection(block, muted, whole=True))
        if self._names is not None:
            marks += operand_selections(self._names, self.extent, self._block_of, self._theme)
        self.setExtraSelections(marks)
        self.gutter.update()

    def _place_gutter(self) -> None:
        width = self.gutter.sizeHint().width()
        self.setViewportMargins(width, 0, 0, 0)
        inside = self.contentsRect()
        self.gutter.setGeometry(QRect(inside.topLeft(), QSize(width, inside.height())))

    def _on_update_requested(self, area: QRect, scrolled: int) -> None:
        self.gutter.update()
        if scrolled:
            # The box of values does not scroll sideways with the text.
            self.viewport().update()

    def _on_bar_moved(self, value: int) -> None:
        if self._is_filling:
            return
        bar = self.verticalScrollBar()
        at_start = value == 0 and self._above > 0
        at_end = value == bar.maximum() and self.extent.stop <= self.line_count()
        # A selection would be lost.
        if (at_start or at_end) and not self.textCursor().hasSelection():
            line = self._above + value + 1
            self._fill(line)
            self._make_space()
            self.setTextCursor(QTextCursor(self._block_of(line)))
            bar.setValue(line - self.extent.start)
        self._mark()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, then the notes and the frame of the current lines."""
        super().paintEvent(event)
        if self.rows is None or self._text is None:
            return
        painter = QPainter(self.viewport())
        first, last = self.rows.block
        boxes = self.boxes()
        current = [box for line, box in boxes if self.gutter.active and first <= line <= last]
        painter.setFont(self._theme.font(SMALL_PIXELS, mono=True))
        painter.setPen(self._theme.color("text_muted"))
        for line, box in boxes:
            note = self.rows.mark(line).note
            if note and not (self.values and box in current):
                self._paint_note(painter, line, box, note)
        painter.setPen(
            QPen(self._theme.color("error" if self.rows.passage.raised else "accent"), 1)
        )
        # Lines above and below the current block, so that color is not the only cue.
        for y in (current[0].top() + 0.5, current[-1].bottom() - 0.5) if current else ():
            painter.drawLine(QPoint(0, round(y)), QPoint(self.viewport().width(), round(y)))
        self._paint_values(painter, dict(boxes).get(last))
        painter.end()

    def _paint_note(self, painter: QPainter, line: int, box: QRectF, note: str) -> None:
        """Paint a line's note after its end if all of it fits there."""
        assert self.rows is not None
        metrics, code = self.fontMetrics(), self.rows.text.lines[line - 1]
        left = box.left() + self.document().documentMargin() + _NOTE_GAP
        left += metrics.horizontalAdvance(code)
        wanted = metrics.horizontalAdvance(note) + 2
        if left + wanted <= self.viewport().width() - _NOTE_EDGE:
            place = QRectF(left, box.top(), wanted, box.height())
            left_middle = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, left_middle, note)

    def _paint_values(self, painter: QPainter, line: QRectF | None) -> None:
        """Paint the box of values below the last line of the current block."""
        if line is None or not self.values or self.rows is None:
            return
        passage = self.rows.passage
        border: PaletteRole = "accent" if passage.phase == "other" else passage.phase
        border = "error" if passage.raised else border
        width = self.viewport().width()
        space = QRectF(0, line.bottom(), width, self._gap_below(self.rows.block[1]))
        place = box_place(space, self._box_left(), self._theme)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_box(painter, place, self.values, self._theme, border)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the gutter beside the lines and the current block visible."""
        super().resizeEvent(event)
        self._place_gutter()
        self._make_space()
        if self.rows is not None and event.oldSize().height() != event.size().height():
            self._bring_into_sight(*self.rows.block)
        self._mark()

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the whole note as a tooltip, as it may not fit into the view."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            note = "" if self.rows is None else self.rows.mark(self.line_at(event.pos())).note
            QToolTip.showText(event.globalPos(), plain_tooltip(note), self.viewport())
            return True
        return super().viewportEvent(event)

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

    def copy(self) -> None:
        """Copy the selection, or the whole text if all of its loaded lines are selected."""
        cursor, end = self.textCursor(), self.document().characterCount() - 1
        if self._text is None or (cursor.selectionStart(), cursor.selectionEnd()) != (0, end):
            super().copy()
        else:
            # Data of our own in the clipboard would outlive Python, and crash as the program ends.
            QGuiApplication.clipboard().setText("\n".join(self._text.lines))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the stepping keys to the panel; with Shift they select text."""
        if pressed(KEYS, event) in STEPPING:
            event.ignore()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

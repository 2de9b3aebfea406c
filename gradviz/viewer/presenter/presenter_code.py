"""The code of the step in Presenter Mode: one function, with its current line marked."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.arithmetic.code_names import CodeNames, code_names
from gradviz.viewer.presenter.code_excerpt import CodeExcerpt, CodeRow, excerpt_of
from gradviz.viewer.source import empty_reasons
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.source.source_passages import source_content_at
from gradviz.viewer.source.source_text import SourceText, function_lines, text_of
from gradviz.viewer.state import ViewerState

MOST_PIXELS, LEAST_PIXELS = 12, 10
"""Range of the font size, before the theme's scale factor."""

_EDGE, _TOP, _SPACING = 5, 3, 1.22


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ShownCode:
    marks: LineMarks
    text: SourceText
    excerpt: CodeExcerpt
    pixels: int
    names: CodeNames | None


class PresenterCode(QWidget):
    """Shows the function that the step refers to; long functions are shortened around the line."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._shown: _ShownCode | None = None
        self._reason = ""
        self._known: tuple[object, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        for changed in (state.trace_changed, state.place_changed, state.arithmetic_changed):
            changed.connect(self._on_state_changed)

    @property
    def lines(self) -> tuple[str, ...]:
        """The visible rows, from the top; empty without source."""
        shown = self._fitted()
        return () if shown is None else tuple(row.text for row in shown.excerpt.rows)

    @property
    def current(self) -> tuple[str, ...]:
        """The marked rows."""
        shown = self._fitted()
        if shown is None:
            return ()
        return tuple(row.text for row in shown.excerpt.rows if self._is_current(shown, row))

    @property
    def reason(self) -> str:
        """The sentence that is shown instead of code; empty if there is code."""
        self._fitted()
        return self._reason

    def _fitted(self) -> _ShownCode | None:
        """Return the code for the current place, theme and size; computed once for each."""
        state = self._state
        size = self.size().toTuple()
        key = (state.index, state.place, state.revealed, state.theme.scale, state.arithmetic, size)
        if key != self._known:
            self._known = key
            self._shown = self._find()
            self.setAccessibleName(self.tr("Code of the step"))
            self.setAccessibleDescription("\n".join(self.current) or self._reason)
        return self._shown

    def _find(self) -> _ShownCode | None:
        index, place = self._state.index, self._state.place
        self._reason = ""
        if index is None or place is None:
            return None
        content = source_content_at(self._state.revealed, place)
        if content.active is None:
            self._reason = empty_reasons.no_source_text(index, content)
            return None
        # Tabs would not be as wide as the characters that the rows are measured in.
        text = text_of(content.active.source.text.expandtabs(4))
        marks = LineMarks(index, content.active, text, self._state.value)
        lines = function_lines(text, marks.block[0], content.active.definitions)
        found, pixels = self._excerpt(text, lines, marks.block)
        names = code_names(text, content.active.source.id, self._state.arithmetic)
        if names is not None and names.lines[0] in lines:
            visible = {row.line for row in found.rows}
            if not visible.issuperset(range(names.lines[0], names.lines[1] + 1)):
                found, pixels = self._excerpt(text, lines, names.lines)
        return _ShownCode(marks=marks, text=text, excerpt=found, pixels=pixels, names=names)

    def _excerpt(
        self, text: SourceText, lines: range, block: tuple[int, int]
    ) -> tuple[CodeExcerpt, int]:
        """Return the rows that show a block, and their font size."""
        sizes = range(MOST_PIXELS, LEAST_PIXELS - 1, -1)
        found = [(excerpt_of(text, lines, block, *self._space(size)), size) for size in sizes]
        whole = [each for each in found if not each[0].leaves_out]
        # The smallest size shows most lines.
        return min(whole, key=lambda each: each[0].wraps) if whole else found[-1]

    def _space(self, pixels: int) -> tuple[int, int]:
        """Return the number of rows and columns for a font size."""
        theme = self._state.theme
        metrics = QFontMetricsF(theme.font(pixels, mono=True))
        edge = theme.px(_EDGE)
        rows = int((self.height() - 2 * theme.px(_TOP)) / self._row_height(pixels))
        columns = int((self.width() - 3 * edge) / metrics.horizontalAdvance("0"))
        return max(3, rows), max(20, columns)

    def _row_height(self, pixels: int) -> float:
        return self._state.theme.px(pixels) * _SPACING

    def _is_current(self, shown: _ShownCode, row: CodeRow) -> bool:
        first, last = shown.marks.block
        return first <= row.line <= last

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or the reason why there is no code."""
        theme, shown = self._state.theme, self._fitted()
        painter = QPainter(self)
        edge = theme.px(_EDGE)
        if shown is None:
            painter.setFont(theme.font(MOST_PIXELS - 1))
            painter.setPen(theme.color("text_muted"))
            box = QRectF(self.rect()).adjusted(2 * edge, 2 * edge, -2 * edge, -2 * edge)
            painter.drawText(box, Qt.TextFlag.TextWordWrap, self._reason)
            painter.end()
            return
        painter.setFont(theme.font(shown.pixels, mono=True))
        height, y = self._row_height(shown.pixels), float(theme.px(_TOP))
        self._paint_block(painter, shown, height)
        for row in shown.excerpt.rows:
            self._paint_row(painter, shown, row, QRectF(edge, y, self.width() - edge, height))
            y += height
        painter.end()

    def _paint_block(self, painter: QPainter, shown: _ShownCode, height: float) -> None:
        theme, top = self._state.theme, self._state.theme.px(_TOP)
        at = [i for i, row in enumerate(shown.excerpt.rows) if self._is_current(shown, row)]
        if not at:
            return
        raised = bool(shown.marks.passage.raised)
        box = QRectF(0, top + at[0] * height, self.width(), (at[-1] + 1 - at[0]) * height)
        painter.fillRect(box, theme.color("error_fill" if raised else "current_line"))
        painter.setPen(QPen(theme.color("error" if raised else "accent"), theme.px(1)))
        painter.drawLine(box.topLeft(), box.topRight())
        painter.drawLine(box.bottomLeft(), box.bottomRight())

    def _paint_row(self, painter: QPainter, shown: _ShownCode, row: CodeRow, box: QRectF) -> None:
        metrics, theme = QFontMetricsF(painter.font()), self._state.theme
        base = box.top() + (box.height() + metrics.ascent() - metrics.descent()) / 2
        wide = metrics.horizontalAdvance("0")
        x = box.left() + theme.px(_EDGE) + row.indent * wide
        if not row.line:
            painter.setPen(theme.color("text_muted"))
            painter.drawText(QPointF(x, base), row.text)
            return
        names = shown.names
        if names is not None and names.lines[0] <= row.line <= names.lines[1]:
            ground = QRectF(0, box.top(), self.width(), box.height())
            painter.fillRect(ground, theme.color("backward_fill"))
        muted = shown.marks.mark(row.line).sign == "never"
        for start, text, role in _colored(shown.text, row):
            painter.setPen(theme.color("text_muted" if muted else role))
            painter.drawText(QPointF(x + start * wide, base), text)
        painter.setPen(QPen(theme.color("backward"), theme.px(2)))
        for start, end in _named_in(names, row):
            under = base + metrics.descent() * 0.7
            painter.drawLine(QPointF(x + start * wide, under), QPointF(x + end * wide, under))

    @Slot(object)
    def _on_state_changed(self, what: object) -> None:
        self.update()


def _named_in(names: CodeNames | None, row: CodeRow) -> list[tuple[int, int]]:
    """Return the first and last column of the operands in a row, from its start."""
    spans = () if names is None else names.spans
    return [
        (max(start, row.start) - row.start, min(start + length, row.end) - row.start)
        for line, start, length in spans
        if line == row.line and start < row.end and start + length > row.start
    ]


def _colored(text: SourceText, row: CodeRow) -> list[tuple[int, str, PaletteRole]]:
    """Return the parts of a row with their first column and color."""
    parts: list[tuple[int, str, PaletteRole]] = []
    at, line = row.start, text.lines[row.line - 1]
    for start, length, role in (*text.spans[row.line - 1], (row.end, 0, "text")):
        first, last = max(start, at), min(start + length, row.end)
        if first > at:
            parts.append((at - row.start, line[at : min(first, row.end)], "text"))
        if last > first:
            parts.append((first - row.start, line[first:last], role))
        at = max(at, min(max(first, last), row.end))
    return [part for part in parts if part[1].strip()]

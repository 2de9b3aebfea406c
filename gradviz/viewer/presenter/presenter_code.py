"""The code of the step in Presenter Mode: one function, with its current line marked."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.viewer.arithmetic.code_names import CodeNames, code_names
from gradviz.viewer.presenter.code_excerpt import EDGE, CodeExcerpt, CodeRow, ExcerptView
from gradviz.viewer.source import empty_reasons
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.source.source_passages import source_content_at
from gradviz.viewer.source.source_text import SourceText, function_lines, text_of
from gradviz.viewer.state import ViewerState

MOST_PIXELS, LEAST_PIXELS = 12, 10
"""Range of the font size, before the theme's scale factor."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ShownCode:
    marks: LineMarks
    text: SourceText
    excerpt: CodeExcerpt
    pixels: int
    names: CodeNames | None


class PresenterCode(ExcerptView):
    """Shows the function that the step refers to; long functions are shortened around the line."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(state.theme, range(MOST_PIXELS, LEAST_PIXELS - 1, -1), parent)
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
        found, pixels = self.fitted(text, lines, marks.block)
        names = code_names(text, content.active.source.id, self._state.arithmetic)
        if names is not None and names.lines[0] in lines:
            visible = {row.line for row in found.rows}
            if not visible.issuperset(range(names.lines[0], names.lines[1] + 1)):
                found, pixels = self.fitted(text, lines, names.lines)
        return _ShownCode(marks=marks, text=text, excerpt=found, pixels=pixels, names=names)

    def _is_current(self, shown: _ShownCode, row: CodeRow) -> bool:
        first, last = shown.marks.block
        return first <= row.line <= last

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or the reason why there is no code."""
        theme, shown = self._state.theme, self._fitted()
        painter = QPainter(self)
        edge = theme.px(EDGE)
        if shown is None:
            painter.setFont(theme.font(MOST_PIXELS - 1))
            painter.setPen(theme.color("text_muted"))
            box = QRectF(self.rect()).adjusted(2 * edge, 2 * edge, -2 * edge, -2 * edge)
            painter.drawText(box, Qt.TextFlag.TextWordWrap, self._reason)
            painter.end()
            return
        painter.setFont(theme.font(shown.pixels, mono=True))
        boxes = self.row_boxes(len(shown.excerpt.rows), shown.pixels)
        self._paint_block(painter, shown, boxes)
        for row, box in zip(shown.excerpt.rows, boxes, strict=True):
            self._paint_code(painter, shown, row, box)
        painter.end()

    def _paint_block(self, painter: QPainter, shown: _ShownCode, boxes: list[QRectF]) -> None:
        theme, rows = self._state.theme, shown.excerpt.rows
        current = [
            box for row, box in zip(rows, boxes, strict=True) if self._is_current(shown, row)
        ]
        if not current:
            return
        raised = bool(shown.marks.passage.raised)
        box = current[0].united(current[-1])
        painter.fillRect(box, theme.color("error_fill" if raised else "current_line"))
        painter.setPen(QPen(theme.color("error" if raised else "accent"), theme.px(1)))
        painter.drawLine(box.topLeft(), box.topRight())
        painter.drawLine(box.bottomLeft(), box.bottomRight())

    def _paint_code(self, painter: QPainter, shown: _ShownCode, row: CodeRow, box: QRectF) -> None:
        theme, names = self._state.theme, shown.names
        if names is not None and names.lines[0] <= row.line <= names.lines[1]:
            painter.fillRect(box, theme.color("backward_fill"))
        muted = bool(row.line) and shown.marks.mark(row.line).sign == "never"
        begin = self.paint_row(painter, shown.text, row, box, muted=muted)
        metrics = QFontMetricsF(painter.font())
        wide, under = metrics.horizontalAdvance("0"), begin.y() + metrics.descent() * 0.7
        painter.setPen(QPen(theme.color("backward"), theme.px(2)))
        for start, end in _named_in(names, row):
            left, right = begin.x() + start * wide, begin.x() + end * wide
            painter.drawLine(QPointF(left, under), QPointF(right, under))

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

"""Paints what each line has set beside it, and the frame around the current lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QPlainTextEdit

from gradviz.model.palette import Role
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.source.rows import Rows
from gradviz.viewer.source.values import BETWEEN

_GAP = 18
"""Pixels between a line and what it has set."""

_LEAST = 12
"""Characters of a note below which it is drawn over the end of its line instead."""

_MOST_OVER = 0.4
"""Share of the width that such a note may take where it would hide code, not a comment."""

_EDGE = 4


@dataclass(frozen=True, slots=True)
class Paper:
    """What is painted, and on what.

    Attributes:
        painter: On the view's viewport.
        view: The text.
        theme: Colours and type.
        rows: The lines with their marks.
        active: Whether we are in this text.
        bared: Number of a line that no note may lie over; 0 for none.
    """

    painter: QPainter
    view: QPlainTextEdit
    theme: Theme
    rows: Rows
    active: bool
    bared: int

    def is_current(self, line: int) -> bool:
        """Whether a line is one of those where we are."""
        first, last = self.rows.block
        return self.active and first <= line <= last

    def ground(self, line: int) -> QColor:
        """The colour below a line."""
        raised = bool(self.rows.passage.raised)
        current: Role = "error_fill" if raised else "current_line"
        return self.theme.colour(current if self.is_current(line) else "panel")


def paint_note(paper: Paper, line: int, box: QRectF) -> None:
    """Writes what a line has set behind it, as far as there is room.

    Args:
        paper: Where.
        line: Its number.
        box: Of the line, in pixels of the viewport.
    """
    mark = paper.rows.mark(line)
    if not mark.note:
        return
    painter, theme = paper.painter, paper.theme
    painter.setFont(theme.font(SMALL_PIXELS, mono=True))
    place, over = note_place(paper, line, box, mark.note)
    if over and line == paper.bared:
        return
    if over:
        painter.fillRect(place.adjusted(-6, 1, _EDGE, -1), paper.ground(line))
    painter.setPen(theme.colour("error" if mark.sign == "raised" else "text_muted"))
    metrics, width = painter.fontMetrics(), round(place.width())
    note = shorter(mark.note, paper.rows.text.lines[line - 1]) if over else mark.note
    text = metrics.elidedText(note, Qt.TextElideMode.ElideRight, width)
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def shorter(note: str, code: str) -> str:
    """A note over the end of its line: it says that it is one, and repeats no name.

    Args:
        note: What the line has set.
        code: The line.
    """
    name, is_set, value = note.partition(" = ")
    repeats = is_set and BETWEEN not in note and code.lstrip().startswith(f"{name} = ")
    return f"… = {value}" if repeats else f"… {note}"


def note_place(paper: Paper, line: int, box: QRectF, note: str) -> tuple[QRectF, bool]:
    """Where a note is drawn, and whether that is over the end of its line, for want of room."""
    view, text = paper.view, paper.rows.text
    metrics, width = view.fontMetrics(), view.viewport().width()
    begin = box.left() + view.document().documentMargin()
    block = view.document().findBlockByNumber(line - 1)
    left = begin + metrics.horizontalAdvance(block.text()) + _GAP
    wanted = metrics.horizontalAdvance(note) + 2
    least = min(wanted, _LEAST * metrics.horizontalAdvance("0"))
    over = width - left < least
    if over:
        # Rather over a comment than over code.
        code = begin + metrics.horizontalAdvance("0") * text.code_width(line) + _GAP
        left = max(width - wanted - _EDGE, min(code, width * (1 - _MOST_OVER)))
    wide = min(wanted, width - left - _EDGE)
    return QRectF(left, box.top(), wide, box.height()), over


def paint_frame(paper: Paper, boxes: Sequence[tuple[int, QRectF]]) -> None:
    """Draws lines above and below the current ones, so that colour is not the only sign."""
    current = [box for line, box in boxes if paper.is_current(line)]
    if not current:
        return
    raised = bool(paper.rows.passage.raised)
    paper.painter.setPen(QPen(paper.theme.colour("error" if raised else "accent"), 1))
    for y in (current[0].top() + 0.5, current[-1].bottom() - 0.5):
        right = QPoint(paper.view.viewport().width(), round(y))
        paper.painter.drawLine(QPoint(0, round(y)), right)

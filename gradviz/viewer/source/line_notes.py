"""Paints the notes beside source lines and the frame around the current lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QPlainTextEdit

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.source.value_text import BETWEEN
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

_GAP = 18
"""Pixels between a line and its note."""

_LEAST = 12
"""If fewer characters of a note would fit, it is drawn over the end of its line instead."""

_MOST_OVER = 0.4
"""Maximum share of the width for a note that would cover code rather than a comment."""

_EDGE = 4


@dataclass(frozen=True, slots=True)
class NoteContext:
    """The context in which notes are painted.

    Attributes:
        painter: A painter on the view's viewport.
        view: The source view.
        theme: Colors and fonts.
        rows: The passage with the marks of its lines.
        active: Whether the passage contains the current step.
        bared: Number of a line that no note may cover; 0 for none.
    """

    painter: QPainter
    view: QPlainTextEdit
    theme: Theme
    rows: LineMarks
    active: bool
    bared: int

    def is_current(self, line: int) -> bool:
        """Return whether a line belongs to the current block."""
        first, last = self.rows.block
        return self.active and first <= line <= last

    def ground(self, line: int) -> QColor:
        """Return the background color of a line."""
        raised = bool(self.rows.passage.raised)
        current: PaletteRole = "error_fill" if raised else "current_line"
        return self.theme.color(current if self.is_current(line) else "panel")


def paint_note(paper: NoteContext, line: int, box: QRectF) -> None:
    """Paint a line's note after its end, or over the end if there is too little space.

    Args:
        paper: What to paint on, and with what.
        line: The line number.
        box: The line's box, in viewport pixels.
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
    painter.setPen(theme.color("error" if mark.sign == "raised" else "text_muted"))
    metrics, width = painter.fontMetrics(), round(place.width())
    note = shorter(mark.note, paper.rows.text.lines[line - 1]) if over else mark.note
    text = metrics.elidedText(note, Qt.TextElideMode.ElideRight, width)
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def shorter(note: str, code: str) -> str:
    """Shorten a note that covers the end of its line: add an ellipsis, drop a repeated name.

    Args:
        note: What the line set.
        code: The text of the line.
    """
    name, is_set, value = note.partition(" = ")
    repeats = is_set and BETWEEN not in note and code.lstrip().startswith(f"{name} = ")
    return f"… = {value}" if repeats else f"… {note}"


def note_place(paper: NoteContext, line: int, box: QRectF, note: str) -> tuple[QRectF, bool]:
    """Return where a note is drawn, and whether it covers the end of its line."""
    view, text = paper.view, paper.rows.text
    metrics, width = view.fontMetrics(), view.viewport().width()
    begin = box.left() + view.document().documentMargin()
    block = view.document().findBlockByNumber(line - 1)
    left = begin + metrics.horizontalAdvance(block.text()) + _GAP
    wanted = metrics.horizontalAdvance(note) + 2
    least = min(wanted, _LEAST * metrics.horizontalAdvance("0"))
    over = width - left < least
    if over:
        # Cover a comment rather than code.
        code = begin + metrics.horizontalAdvance("0") * text.code_width(line) + _GAP
        left = max(width - wanted - _EDGE, min(code, width * (1 - _MOST_OVER)))
    wide = min(wanted, width - left - _EDGE)
    return QRectF(left, box.top(), wide, box.height()), over


def paint_frame(paper: NoteContext, boxes: Sequence[tuple[int, QRectF]]) -> None:
    """Draw lines above and below the current block, so that color is not the only cue."""
    current = [box for line, box in boxes if paper.is_current(line)]
    if not current:
        return
    raised = bool(paper.rows.passage.raised)
    paper.painter.setPen(QPen(paper.theme.color("error" if raised else "accent"), 1))
    for y in (current[0].top() + 0.5, current[-1].bottom() - 0.5):
        right = QPoint(paper.view.viewport().width(), round(y))
        paper.painter.drawLine(QPoint(0, round(y)), right)

"""Paints the notes beside source lines and the frame around the current lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QPlainTextEdit

from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

_GAP = 18
"""Pixels between a line and its note."""

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
    """

    painter: QPainter
    view: QPlainTextEdit
    theme: Theme
    rows: LineMarks
    active: bool

    def is_current(self, line: int) -> bool:
        """Return whether a line belongs to the current block."""
        first, last = self.rows.block
        return self.active and first <= line <= last


def paint_note(paper: NoteContext, line: int, box: QRectF) -> None:
    """Paint a line's note after its end if all of it fits there.

    Args:
        paper: What to paint on, and with what.
        line: The line number.
        box: The line's box, in viewport pixels.
    """
    note = paper.rows.mark(line).note
    place = note_place(paper, line, box, note)
    if not note or place is None:
        return
    paper.painter.setFont(paper.theme.font(SMALL_PIXELS, mono=True))
    paper.painter.setPen(paper.theme.color("text_muted"))
    paper.painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, note)


def note_place(paper: NoteContext, line: int, box: QRectF, note: str) -> QRectF | None:
    """Return where a note is drawn; None if it does not fit beside its line."""
    view = paper.view
    metrics = view.fontMetrics()
    code = paper.rows.text.lines[line - 1]
    left = box.left() + view.document().documentMargin() + metrics.horizontalAdvance(code) + _GAP
    wanted = metrics.horizontalAdvance(note) + 2
    if left + wanted > view.viewport().width() - _EDGE:
        return None
    return QRectF(left, box.top(), wanted, box.height())


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

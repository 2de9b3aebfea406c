"""Frames around the elements that take part in an arithmetic, told apart by more than color."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.drawing.appearance.palette import TERM_ROLES, PaletteRole
from gradviz.text.arithmetic import ArithmeticText
from gradviz.viewer.theme.theme import Theme

_STYLES: Final = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
_LEAST_BADGE: Final = (30.0, 24.0)
"""Smallest width and height of a cell that also has the number of its term."""

_THIN, _THICK = 2.0, 3.0


def term_role(term: int) -> PaletteRole:
    """The color of a term, from 1; of everything else for 0."""
    return TERM_ROLES[(term - 1) % len(TERM_ROLES)] if term else "backward"


def colored_parts(text: ArithmeticText) -> list[tuple[str, PaletteRole]]:
    """A line of arithmetic as parts with their colors, which are those of the frames."""
    parts: list[tuple[str, PaletteRole]] = [(f"{text.name} = ", "text")]
    if text.symbols:
        parts.append((f"{text.symbols} = ", "text_muted"))
    for piece in text.pieces:
        colored = piece.term or piece.result
        parts.append((piece.text, term_role(piece.term) if colored else "text"))
    return [*parts, (f" {text.note}", "text_muted")] if text.note else parts


def paint_frames(
    painter: QPainter, cells: Sequence[tuple[QRectF, ElementMark]], theme: Theme
) -> None:
    """Paint a frame just inside each cell, and the number of its term if there is space.

    Args:
        painter: The painter; its state is restored.
        cells: The cells, in units of the painter.
        theme: Colors of the frames.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for cell, mark in cells:
        _paint_frame(painter, cell, mark, theme)
    painter.restore()


def _paint_frame(painter: QPainter, cell: QRectF, mark: ElementMark, theme: Theme) -> None:
    width = _THICK if mark.result else _THIN
    ink, style = theme.color(term_role(mark.term)), _STYLES[(mark.term - 1) % 4]
    box = cell.adjusted(width / 2, width / 2, -width / 2, -width / 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # The ground makes the frame visible on a cell of its own color.
    painter.setPen(_pen(theme.color("panel"), width + 2, Qt.PenStyle.SolidLine))
    painter.drawRect(box)
    painter.setPen(_pen(ink, width, style if mark.term else Qt.PenStyle.SolidLine))
    painter.drawRect(box)
    if mark.term and cell.width() >= _LEAST_BADGE[0] and cell.height() >= _LEAST_BADGE[1]:
        side = min(cell.height() * 0.42, 18.0)
        plate = QRectF(cell.left(), cell.top(), side, side)
        painter.fillRect(plate, ink)
        font = QFont(theme.font(bold=True))
        font.setPixelSize(max(6, round(side * 0.8)))
        painter.setFont(font)
        painter.setPen(theme.color("panel"))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, str(mark.term))


def _pen(ink: QColor, width: float, style: Qt.PenStyle) -> QPen:
    pen = QPen(ink, width, style)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen

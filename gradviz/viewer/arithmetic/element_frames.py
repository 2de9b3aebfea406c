"""Frames around the elements that take part in an arithmetic, told apart by more than color."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.drawing.appearance.palette import TERM_ROLES, PaletteRole
from gradviz.drawing.cells.cell_grid import grid_in
from gradviz.text.arithmetic import ArithmeticText
from gradviz.viewer.tensor_view.cell_painter import qt_rect, rect_of
from gradviz.viewer.theme.theme import Theme

_STYLES: Final = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
_LEAST_HEIGHT: Final = 16.0
"""Smallest height of a cell that also has as many dots as the number of its term."""

_THIN, _THICK, _DOT = 2.0, 3.0, 3.0


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
    """Paint a frame just inside each cell, with dots for the number of its term.

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


def paint_plane_frames(
    painter: QPainter,
    box: QRectF,
    shape: tuple[int, ...],
    marks: Sequence[ElementMark],
    theme: Theme,
) -> None:
    """Paint frames around elements of a tensor's first plane, which fills a box.

    Args:
        painter: The painter; its state is restored.
        box: The cells of the plane, in units of the painter.
        shape: Shape of the tensor, each element of which has a cell.
        marks: Elements of the tensor.
        theme: Colors of the frames.
    """
    rows, columns = (1, 1, *shape)[-2:]
    grid, cells = grid_in(rect_of(box), (rows, columns)), []
    for mark in marks:
        *leading, row, column = (0, 0, *mark.element)
        if not any(leading):
            cells.append((qt_rect(grid.rect(row, column)), mark))
    paint_frames(painter, cells, theme)


def _paint_frame(painter: QPainter, cell: QRectF, mark: ElementMark, theme: Theme) -> None:
    widest = (_THICK if mark.result else _THIN) * min(theme.scale, 1.5)
    width = min(widest, min(cell.width(), cell.height()) / 9)
    ink, style = theme.color(term_role(mark.term)), _STYLES[(mark.term - 1) % 4]
    box = cell.adjusted(width / 2, width / 2, -width / 2, -width / 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # The ground makes the frame visible on a cell of its own color.
    painter.setPen(_pen(theme.color("panel"), width * 2, Qt.PenStyle.SolidLine))
    painter.drawRect(box)
    painter.setPen(_pen(ink, width, style if mark.term else Qt.PenStyle.SolidLine))
    painter.drawRect(box)
    if mark.term and cell.height() >= _LEAST_HEIGHT:
        _paint_dots(painter, cell, mark.term, theme)


def _paint_dots(painter: QPainter, cell: QRectF, term: int, theme: Theme) -> None:
    """Paint as many dots as the number of the term, at the upper edge of a cell."""
    side = min(_DOT * theme.scale, (cell.width() - 4) / (2 * term))
    plate = QRectF(0, 0, side * (2 * term + 1), side + 2)
    plate.moveCenter(QPointF(cell.center().x(), cell.top() + side / 2))
    painter.fillRect(plate, theme.color("panel"))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color(term_role(term)))
    for at in range(term):
        painter.drawEllipse(QRectF(plate.left() + side * (2 * at + 1), 1 + plate.top(), side, side))


def _pen(ink: QColor, width: float, style: Qt.PenStyle) -> QPen:
    pen = QPen(ink, width, style)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen

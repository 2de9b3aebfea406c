"""Marks of Jacobian elements outside the tolerance, which leave the cells' colors visible."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gradviz.viewer.jacobians.map.cell_numbers import VisibleCells
from gradviz.viewer.jacobians.map.downsampling import CellMarks

CORNER = 8.0
"""Size in pixels of the corner that marks a wrong element."""

CORNER_FROM = 12.0
"""Minimum cell size in pixels for a corner mark and for an outline."""

_LEAST_FRAME = 6.0
"""Minimum size in pixels of a framed block; smaller frames would hide what they enclose."""

_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)
_FRAME = QColor(190, 20, 50)
"""The same in every theme, as the colors of cells are."""


def paint_wrong(
    painter: QPainter, cells: VisibleCells, wrong: CellMarks, scale: float = 1.0
) -> None:
    """Mark wrong elements: a corner in each large cell, a frame around areas of small ones."""
    if min(cells.width, cells.height) < CORNER_FROM:
        _paint_frames(painter, cells, wrong)
        return
    for row, column in wrong.within(cells.rows, cells.columns):
        paint_corner(painter, cells.rect(row, column), scale)


def paint_corner(painter: QPainter, box: QRectF, scale: float = 1.0) -> None:
    """Paint a corner at the upper right of a cell; larger at a larger scale, if there is space."""
    corner = box.topRight() + QPointF(-1, 1)
    side = min(CORNER * scale, max(box.height() / 4, min(CORNER, box.height() / 2)))
    path = QPainterPath(corner)
    path.lineTo(corner.x() - side, corner.y())
    path.lineTo(corner.x(), corner.y() + side)
    path.closeSubpath()
    painter.setPen(QPen(_WHITE, 1))
    painter.setBrush(_BLACK)
    painter.drawPath(path)


def paint_ring(painter: QPainter, centre: QPointF, radius: float) -> None:
    """Paint a ring around a point, for cells too small for an outline."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # White around black is visible on every color.
    painter.setPen(QPen(_WHITE, 4))
    painter.drawEllipse(centre, radius, radius)
    painter.setPen(QPen(_BLACK, 1.6))
    painter.drawEllipse(centre, radius, radius)


def paint_frame(painter: QPainter, box: QRectF) -> None:
    """Paint a frame as around an area of wrong elements."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_frame_pen())
    painter.drawRect(box)


def _paint_frames(painter: QPainter, cells: VisibleCells, wrong: CellMarks) -> None:
    """Frame the areas of blocks that contain wrong elements, with no lines inside an area."""
    rows, columns = (max(1, math.ceil(_LEAST_FRAME / each)) for each in (cells.height, cells.width))
    marked = wrong.within(cells.rows, cells.columns, (rows, columns))
    blocks = {(int(row) // rows, int(column) // columns) for row, column in marked}
    lines: list[QLineF] = []
    for row, column in blocks:
        bottom = min((row + 1) * rows, cells.rows.stop) - 1
        right = min((column + 1) * columns, cells.columns.stop) - 1
        first, last = cells.rect(row * rows, column * columns), cells.rect(bottom, right)
        box = QRectF(first.topLeft(), last.bottomRight())
        sides = (
            ((row - 1, column), box.topLeft(), box.topRight()),
            ((row + 1, column), box.bottomLeft(), box.bottomRight()),
            ((row, column - 1), box.topLeft(), box.bottomLeft()),
            ((row, column + 1), box.topRight(), box.bottomRight()),
        )
        lines += [QLineF(start, end) for beside, start, end in sides if beside not in blocks]
    painter.setPen(_frame_pen())
    painter.drawLines(lines)


def _frame_pen() -> QPen:
    return QPen(_FRAME, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap)

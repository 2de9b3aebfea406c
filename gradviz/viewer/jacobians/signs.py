"""Paints marks on cells: black and white or gray, to be visible on every color."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

CORNER = 8.0
"""Size in pixels of the corner that marks a wrong element."""

_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)
_DOT = QColor(96, 100, 110)


def paint_corner(painter: QPainter, box: QRectF) -> None:
    """Paint a corner at the upper right of a cell."""
    corner = box.topRight() + QPointF(-1, 1)
    side = min(CORNER, box.height() / 2)
    path = QPainterPath(corner)
    path.lineTo(corner.x() - side, corner.y())
    path.lineTo(corner.x(), corner.y() + side)
    path.closeSubpath()
    painter.setPen(QPen(_WHITE, 1))
    painter.setBrush(_BLACK)
    painter.drawPath(path)


def paint_ring(painter: QPainter, centre: QPointF, radius: float) -> None:
    """Paint a ring around a point, for cells too small for a corner."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(_WHITE, 4))
    painter.drawEllipse(centre, radius, radius)
    painter.setPen(QPen(_BLACK, 1.6))
    painter.drawEllipse(centre, radius, radius)


def paint_dots(painter: QPainter, boxes: Iterable[QRectF]) -> None:
    """Paint a dot in the middle of each cell, to mark exact zeros."""
    painter.setPen(QPen(_DOT, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPoints([box.center() for box in boxes])

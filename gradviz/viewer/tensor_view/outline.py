"""Black and white frames around a cell, visible on every color."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)


def paint_outline(painter: QPainter, box: QRectF, width: int) -> None:
    """Paint a double outline just inside a box."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = width / 2
    painter.setPen(_mitred(_BLACK, width))
    painter.drawRect(box.adjusted(half, half, -half, -half))
    painter.setPen(_mitred(_WHITE, width))
    inner = half + width
    painter.drawRect(box.adjusted(inner, inner, -inner, -inner))


def grown(box: QRectF, side: float) -> QRectF:
    """Grow a box around its center to sides of at least that many pixels."""
    more_x, more_y = max(0.0, side - box.width()) / 2, max(0.0, side - box.height()) / 2
    return box.adjusted(-more_x, -more_y, more_x, more_y)


def _mitred(ink: QColor, width: int) -> QPen:
    pen = QPen(ink, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen

"""The outlines of boxes: painted, surrounded by halos, and met by the tips of arrows."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from gradviz.drawing.face import Shape

CORNER, MOST_ROUND = 8.0, 24.0
"""Radius of a card's corners, and the greatest one of a pill's ends."""

CHAMFER, EAR = 9.0, 11.0
"""How far the cut corners of a custom Function, and a note's folded corner, reach."""

STACK = 4.0
"""How far the sheet behind a stack looks out, to the right and above."""

BAR = 4.0
"""How thick the bar of a dead end is."""

_OCTAGON = 2 - math.sqrt(2)
_ARC = 1 - math.sqrt(0.5)


def radius_of(shape: Shape, box: QRectF) -> float:
    """The radius of a box's corners."""
    if shape == "stub":
        return 0.0
    return min(box.height() / 2, MOST_ROUND) if shape == "pill" else CORNER


def chamfered(box: QRectF, cut: float = CHAMFER) -> QPolygonF:
    """A rectangle with its corners cut off."""
    left, top, right, bottom = box.left(), box.top(), box.right(), box.bottom()
    return QPolygonF(
        [
            QPointF(left + cut, top),
            QPointF(right - cut, top),
            QPointF(right, top + cut),
            QPointF(right, bottom - cut),
            QPointF(right - cut, bottom),
            QPointF(left + cut, bottom),
            QPointF(left, bottom - cut),
            QPointF(left, top + cut),
        ]
    )


def note(box: QRectF) -> QPainterPath:
    """A sheet whose lower right corner is folded."""
    path = QPainterPath(QPointF(box.right() - EAR, box.bottom()))
    path.lineTo(box.left() + CORNER, box.bottom())
    path.quadTo(box.bottomLeft(), QPointF(box.left(), box.bottom() - CORNER))
    path.lineTo(box.left(), box.top() + CORNER)
    path.quadTo(box.topLeft(), QPointF(box.left() + CORNER, box.top()))
    path.lineTo(box.right() - CORNER, box.top())
    path.quadTo(box.topRight(), QPointF(box.right(), box.top() + CORNER))
    path.lineTo(box.right(), box.bottom() - EAR)
    path.closeSubpath()
    return path


def fold_of_note(box: QRectF) -> QPolygonF:
    """The folded corner itself, an open line."""
    right, bottom = box.right(), box.bottom()
    return QPolygonF(
        [
            QPointF(right, bottom - EAR),
            QPointF(right - EAR, bottom - EAR),
            QPointF(right - EAR, bottom),
        ]
    )


def bar_of(box: QRectF) -> QRectF:
    """The bar of a dead end: along its upper side, where its line begins."""
    return QRectF(box.left(), box.top() - BAR / 2, box.width(), BAR)


def around(shape: Shape, box: QRectF, out: float) -> QPainterPath:
    """A line around a box that keeps a distance from its outline."""
    path = QPainterPath()
    # The sheet behind a stack belongs to it.
    behind = STACK if shape == "stack" else 0.0
    grown = box.adjusted(-out, -out - behind, out + behind, out)
    if shape == "chamfered":
        path.addPolygon(chamfered(grown, CHAMFER + out * _OCTAGON))
        path.closeSubpath()
    else:
        radius = radius_of(shape, box) + out
        path.addRoundedRect(grown, radius, radius)
    return path


def mark_place(shape: Shape, box: QRectF) -> QPointF:
    """Where the outline crosses the diagonal of the upper right corner."""
    away = CHAMFER / 2 if shape == "chamfered" else radius_of(shape, box) * _ARC
    return box.topRight() + QPointF(-away, away)


def way_in(shape: Shape, box: QRectF, at: QPointF, along: QPointF) -> float:
    """How far a line goes on from a point of the bounding box until it meets the outline.

    Args:
        shape: Of the box.
        box: Its bounding box.
        at: A point on it; off the outline where the outline cuts a corner.
        along: Direction of the line, of length 1.

    Returns:
        A distance; 0 where the point is on the outline, or the line would miss it.
    """
    cut = CHAMFER if shape == "chamfered" else radius_of(shape, box)
    # Seen from the nearest corner: x and y grow towards the middle of the box.
    right, lower = at.x() > box.center().x(), at.y() > box.center().y()
    x = box.right() - at.x() if right else at.x() - box.left()
    y = box.bottom() - at.y() if lower else at.y() - box.top()
    dx, dy = (-along.x() if right else along.x()), (-along.y() if lower else along.y())
    if x >= cut or y >= cut:
        return 0.0
    if shape == "chamfered":
        return max(0.0, (cut - x - y) / (dx + dy)) if dx + dy > 1e-6 else 0.0
    return _way_to_circle(x - cut, y - cut, dx, dy, cut)


def _way_to_circle(x: float, y: float, dx: float, dy: float, radius: float) -> float:
    half, rest = x * dx + y * dy, x * x + y * y - radius * radius
    root = half * half - rest
    return max(0.0, -half - math.sqrt(root)) if rest > 0 and root >= 0 and half < 0 else 0.0

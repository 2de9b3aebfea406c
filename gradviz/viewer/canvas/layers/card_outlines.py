"""Outlines of boxes, for painting, halos, and the ends of arrows."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from gradviz.drawing.geometry.box_geometry import FOLD, BoxShape

CORNER, MOST_ROUND = 8.0, 24.0
"""Corner radius of a card, and the maximum radius of a pill's ends."""

CHAMFER = 9.0
"""Size of the cut corners of a custom Function's card."""

STACK = 4.0
"""Offset of the sheet behind a stack, to the right and up."""

BAR = 4.0
"""Thickness of a dead end's bar."""

# A corner's cut grows by this much for each unit that the whole outline moves outward.
_OCTAGON = 2 - math.sqrt(2)
# Where a quarter circle of radius 1 crosses the diagonal, measured from the corner.
_ARC = 1 - math.sqrt(0.5)


def radius_of(shape: BoxShape, box: QRectF) -> float:
    """Corner radius of a box."""
    if shape == "stub":
        return 0.0
    return min(box.height() / 2, MOST_ROUND) if shape == "pill" else CORNER


def chamfered(box: QRectF, cut: float = CHAMFER) -> QPolygonF:
    """Rectangle with its corners cut off."""
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
    """Sheet with a folded lower right corner."""
    path = QPainterPath(QPointF(box.right() - FOLD, box.bottom()))
    path.lineTo(box.left() + CORNER, box.bottom())
    path.quadTo(box.bottomLeft(), QPointF(box.left(), box.bottom() - CORNER))
    path.lineTo(box.left(), box.top() + CORNER)
    path.quadTo(box.topLeft(), QPointF(box.left() + CORNER, box.top()))
    path.lineTo(box.right() - CORNER, box.top())
    path.quadTo(box.topRight(), QPointF(box.right(), box.top() + CORNER))
    path.lineTo(box.right(), box.bottom() - FOLD)
    path.closeSubpath()
    return path


def fold_of_note(box: QRectF) -> QPolygonF:
    """The folded corner as an open line."""
    right, bottom = box.right(), box.bottom()
    return QPolygonF(
        [
            QPointF(right, bottom - FOLD),
            QPointF(right - FOLD, bottom - FOLD),
            QPointF(right - FOLD, bottom),
        ]
    )


def bar_of(box: QRectF) -> QRectF:
    """Bar of a dead end, along its upper edge where its line starts."""
    return QRectF(box.left(), box.top() - BAR / 2, box.width(), BAR)


def outline_around(shape: BoxShape, box: QRectF, out: float) -> QPainterPath:
    """Path around a box at a constant distance from its outline."""
    path = QPainterPath()
    # The path also encloses the sheet behind a stack.
    behind = STACK if shape == "stack" else 0.0
    grown = box.adjusted(-out, -out - behind, out + behind, out)
    if shape == "chamfered":
        path.addPolygon(chamfered(grown, CHAMFER + out * _OCTAGON))
        path.closeSubpath()
    else:
        radius = radius_of(shape, box) + out
        path.addRoundedRect(grown, radius, radius)
    return path


_OUTWARD = 3.0


def mark_place(shape: BoxShape, box: QRectF, *, brief: bool = False) -> QPointF:
    """Point where the outline crosses the diagonal of the upper right corner.

    Args:
        shape: Shape of the box.
        box: Its bounding box.
        brief: Whether the text is close to the border, so that marks are farther out.
    """
    away = CHAMFER / 2 if shape == "chamfered" else radius_of(shape, box) * _ARC
    away -= _OUTWARD if brief else 0.0
    return box.topRight() + QPointF(-away, away)


def entry_point(shape: BoxShape, box: QRectF, at: QPointF, along: QPointF) -> float:
    """Distance from a point on the bounding box along a line to the outline.

    Args:
        shape: Shape of the box.
        box: Its bounding box.
        at: A point on the bounding box; outside the outline if a corner is cut there.
        along: Unit direction of the line.

    Returns:
        The distance; 0 if the point is on the outline, or the line would miss it.
    """
    cut = CHAMFER if shape == "chamfered" else radius_of(shape, box)
    # Relative to the nearest corner: x and y grow toward the center of the box.
    right, lower = at.x() > box.center().x(), at.y() > box.center().y()
    x = box.right() - at.x() if right else at.x() - box.left()
    y = box.bottom() - at.y() if lower else at.y() - box.top()
    dx, dy = (-along.x() if right else along.x()), (-along.y() if lower else along.y())
    if x >= cut or y >= cut:
        return 0.0
    if shape == "chamfered":
        return max(0.0, (cut - x - y) / (dx + dy)) if dx + dy > 1e-6 else 0.0
    return _distance_to_circle(x - cut, y - cut, dx, dy, cut)


def _distance_to_circle(x: float, y: float, dx: float, dy: float, radius: float) -> float:
    # The near root of |p + t d| = radius, where d has length 1.
    half, rest = x * dx + y * dy, x * x + y * y - radius * radius
    root = half * half - rest
    return max(0.0, -half - math.sqrt(root)) if rest > 0 and root >= 0 and half < 0 else 0.0

"""Turns control points into what Qt draws: paths, straight lines, arrow heads."""

from __future__ import annotations

import itertools
import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainterPath, QPolygonF

from gradviz.viewer.canvas.picture import Floats

ARROW = 9.0


def path_of(points: Floats) -> QPainterPath:
    """A path along cubic segments ``[1 + 3 k, 2]``."""
    path = QPainterPath(QPointF(*points[0]))
    values = points.tolist()
    for at in range(1, len(values) - 2, 3):
        (ax, ay), (bx, by), (cx, cy) = values[at : at + 3]
        path.cubicTo(ax, ay, bx, by, cx, cy)
    return path


def lines_of(points: Floats) -> list[QLineF]:
    """Straight lines through the ends of the segments, for far views."""
    ends = points[::3].tolist()
    return [QLineF(*first, *second) for first, second in itertools.pairwise(ends)]


def arrow_head(points: Floats, size: float = ARROW) -> QPolygonF:
    """A triangle whose tip is the end of the curve."""
    tip = points[-1]
    back = next((p for p in points[-2::-1] if math.dist(p, tip) > 1e-6), tip - (0.0, 1.0))
    along = (tip - back) / math.dist(back, tip)
    across = np.array([-along[1], along[0]]) * size * 0.42
    base = tip - along * size
    corners = (tip, base + across, base - across)
    return QPolygonF([QPointF(float(x), float(y)) for x, y in corners])


def middle_of(points: Floats) -> tuple[float, float]:
    """The point half-way along the middle segment."""
    segments = (len(points) - 1) // 3
    at = 3 * (segments // 2)
    if segments % 2 == 0:
        x, y = points[at]
    else:
        a, b, c, d = points[at : at + 4]
        x, y = (a + 3 * b + 3 * c + d) / 8
    return float(x), float(y)


def sampled(points: Floats, count: int = 8) -> Floats:
    """Points along a curve, ``[count * segments + 1, 2]``, for finding the nearest curve."""
    t = np.linspace(0.0, 1.0, count, endpoint=False)[:, None]
    found = [
        (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
        for a, b, c, d in (points[at : at + 4] for at in range(0, len(points) - 3, 3))
    ]
    return np.concatenate([*found, points[-1:]])

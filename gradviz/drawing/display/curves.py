"""Curves of control points: their outlines, lines, dashes and arrow heads."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gradviz.drawing.display.parts import Outline, polyline
from gradviz.drawing.geometry.rect import Point
from gradviz.model.arrays import FloatArray

ARROW = 14.0
"""Maximum length and width of an arrow head."""

NOTCH = 0.74
"""Fraction of an arrow head's length at which its notch is and the line ends."""

_FINE = 16
"""Straight pieces per cubic segment when arc lengths are needed."""


@dataclass(frozen=True, slots=True)
class ArrowHead:
    """Size of an arrow head in scene units.

    Attributes:
        length: From tip to base, along the line.
        half: Half of its width.
    """

    length: float
    half: float


Line = tuple[Point, Point]
"""The ends of a straight line."""


def outline_of_curve(points: FloatArray) -> Outline:
    """Outline of cubic segments ``[1 + 3 k, 2]``."""
    start, *rest = ((x, y) for x, y in points.tolist())
    pieces = (("C", tuple(rest[at : at + 3])) for at in range(0, len(rest) - 2, 3))
    return Outline((("M", (start,)), *pieces))


def dashes_of(points: FloatArray, dash: float, gap: float) -> list[Line]:
    """Split a curve into dashes, which is many times faster than Qt's dashed pens."""
    fine = sampled(points, _FINE)
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(fine, axis=0).T))])
    starts = np.arange(0.0, max(lengths[-1], 1e-6), dash + gap)
    ends = np.minimum(starts + dash, lengths[-1])
    sides = [np.interp(at, lengths, fine[:, axis]) for at in (starts, ends) for axis in (0, 1)]
    return [((a, b), (c, d)) for a, b, c, d in zip(*(side.tolist() for side in sides), strict=True)]


def point_along(points: FloatArray, part: float) -> Point:
    """Point of a curve at a fraction of its length."""
    fine = sampled(points, _FINE)
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(fine, axis=0).T))])
    x, y = (float(np.interp(part * lengths[-1], lengths, fine[:, axis])) for axis in (0, 1))
    return x, y


def direction_at_end(points: FloatArray) -> tuple[float, float]:
    """Unit direction at the end of a curve; upward for a curve of zero length."""
    tip = points[-1]
    back = next((p for p in points[-2::-1] if math.dist(p, tip) > 1e-6), tip - (0.0, -1.0))
    x, y = (tip - back) / math.dist(back, tip)
    return float(x), float(y)


def moved_end(points: FloatArray, by: float) -> FloatArray:
    """Extend a curve at its end: shift the end and its control point along the direction."""
    moved = points.copy()
    moved[-2:] += np.array(direction_at_end(points)) * by
    return moved


def arrow_head(points: FloatArray, head: ArrowHead) -> Outline:
    """Arrow head with its tip at the end of the curve, in the direction of the curve."""
    tip = points[-1]
    neck = _shortened(points, head.length * NOTCH)[-1]
    neck_to_tip = tip - neck
    far = math.hypot(*neck_to_tip)
    along = neck_to_tip / far if far > 1e-6 else np.array(direction_at_end(points))
    across = np.array([-along[1], along[0]]) * head.half
    base, notch = tip - along * head.length, tip - along * head.length * NOTCH
    corners = (tip, base + across, notch, base - across)
    return polyline(*((float(x), float(y)) for x, y in corners), closed=True)


def without_head(points: FloatArray, head: ArrowHead) -> FloatArray:
    """Cut the curve at the notch of its head, so that a thick line does not cover the tip."""
    return _shortened(points, head.length * NOTCH - 0.5)


def _shortened(points: FloatArray, by: float) -> FloatArray:
    """Cut off the end within distance ``by`` of the tip; a short first piece always remains."""
    tip = points[-1]
    last = len(points) - 4
    while last > 0 and math.dist(points[last], tip) <= by:
        last -= 3
    piece = points[last : last + 4]
    # From the tip backwards, so that the first distant point is the one closest to the head.
    parts = np.linspace(1.0, 0.0, 33)
    away = np.hypot(*(cubic(piece, parts) - tip).T)
    far = np.flatnonzero(away >= by)
    # The piece is shorter than the head; some of it must remain to give the head a direction.
    if len(far) == 0:
        cut = 0.02
    elif far[0] == 0:
        cut = 1.0
    else:
        first, second = far[0] - 1, far[0]
        part = (by - away[first]) / (away[second] - away[first])
        cut = float(parts[first] + (parts[second] - parts[first]) * part)
    return np.concatenate([points[:last], _until(piece, cut)])


def _until(piece: FloatArray, cut: float) -> FloatArray:
    """First part of a cubic segment, by de Casteljau's algorithm."""
    found, row = [piece[0]], piece
    for _ in range(3):
        row = row[:-1] + (row[1:] - row[:-1]) * cut
        found.append(row[0])
    return np.array(found)


def cubic(piece: FloatArray, t: FloatArray) -> FloatArray:
    """Points of a cubic segment ``[4, 2]`` at parameters from 0 to 1."""
    t = t[:, None]
    a, b, c, d = piece
    points: FloatArray = (
        (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    )
    return points


def sampled(points: FloatArray, count: int = 8) -> FloatArray:
    """Sample points along a curve, ``[count * segments + 1, 2]``."""
    parts = np.linspace(0.0, 1.0, count, endpoint=False)
    found = [cubic(points[at : at + 4], parts) for at in range(0, len(points) - 3, 3)]
    return np.concatenate([*found, points[-1:]])

"""Outlines of boxes, for drawing, halos, and the ends of arrows."""

from __future__ import annotations

import math

from gradviz.drawing.display.parts import Outline, RoundedRect, polyline
from gradviz.drawing.geometry.box_geometry import FOLD, BoxShape
from gradviz.drawing.geometry.rect import Point, Rect

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


def outline_of(shape: BoxShape, box: Rect) -> RoundedRect | Outline:
    """Outline of a box's body."""
    if shape == "chamfered":
        return chamfered(box)
    return note(box) if shape == "note" else RoundedRect(box, radius_of(shape, box))


def radius_of(shape: BoxShape, box: Rect) -> float:
    """Corner radius of a box."""
    if shape == "stub":
        return 0.0
    return min(box.height / 2, MOST_ROUND) if shape == "pill" else CORNER


def chamfered(box: Rect, cut: float = CHAMFER) -> Outline:
    """Rectangle with its corners cut off."""
    left, top, right, bottom = box.x, box.y, box.right, box.bottom
    return polyline(
        (left + cut, top), (right - cut, top), (right, top + cut), (right, bottom - cut),
        (right - cut, bottom), (left + cut, bottom), (left, bottom - cut), (left, top + cut),
        closed=True,
    )  # fmt: skip


def note(box: Rect) -> Outline:
    """Sheet with a folded lower right corner."""
    left, top, right, bottom = box.x, box.y, box.right, box.bottom
    return Outline(
        (
            ("M", ((right - FOLD, bottom),)),
            ("L", ((left + CORNER, bottom),)),
            ("Q", ((left, bottom), (left, bottom - CORNER))),
            ("L", ((left, top + CORNER),)),
            ("Q", ((left, top), (left + CORNER, top))),
            ("L", ((right - CORNER, top),)),
            ("Q", ((right, top), (right, top + CORNER))),
            ("L", ((right, bottom - FOLD),)),
            ("Z", ()),
        )
    )


def fold_of_note(box: Rect) -> Outline:
    """The folded corner as an open line."""
    right, bottom = box.right, box.bottom
    return polyline((right, bottom - FOLD), (right - FOLD, bottom - FOLD), (right - FOLD, bottom))


def bar_of(box: Rect) -> Rect:
    """Bar of a dead end, along its upper edge where its line starts."""
    return Rect(x=box.x, y=box.y - BAR / 2, width=box.width, height=BAR)


def outline_around(shape: BoxShape, box: Rect, out: float) -> RoundedRect | Outline:
    """Outline around a box at a constant distance from its own."""
    grown = box.grown(out)
    if shape == "chamfered":
        return chamfered(grown, CHAMFER + out * _OCTAGON)
    # It also encloses the sheet behind a stack.
    behind = STACK if shape == "stack" else 0.0
    sheet = Rect(
        x=grown.x,
        y=grown.y - behind,
        width=grown.width + behind,
        height=grown.height + behind,
    )
    return RoundedRect(sheet, radius_of(shape, box) + out)


_OUTWARD = 3.0


def mark_place(shape: BoxShape, box: Rect, *, brief: bool = False) -> Point:
    """Point where the outline crosses the diagonal of the upper right corner.

    Args:
        shape: Shape of the box.
        box: Its bounding box.
        brief: Whether the text is close to the border, so that marks are farther out.
    """
    away = CHAMFER / 2 if shape == "chamfered" else radius_of(shape, box) * _ARC
    away -= _OUTWARD if brief else 0.0
    return box.right - away, box.y + away


def entry_point(shape: BoxShape, box: Rect, at: Point, along: Point) -> float:
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
    right, lower = at[0] > box.center[0], at[1] > box.center[1]
    x = box.right - at[0] if right else at[0] - box.x
    y = box.bottom - at[1] if lower else at[1] - box.y
    dx, dy = (-along[0] if right else along[0]), (-along[1] if lower else along[1])
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

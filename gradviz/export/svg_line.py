"""Edges of a drawing as SVG: gradients done, now and to come, with arrows and labels."""

from __future__ import annotations

import math

from gradviz.drawing.drawn import DrawnEdge
from gradviz.drawing.layout import Point
from gradviz.drawing.placed import Rect
from gradviz.drawing.style import BASELINE, FONTS
from gradviz.export.svg_marks import Attributes, element, paint, text
from gradviz.model.palette import Role
from gradviz.model.query import Status

_STROKES: dict[Status, tuple[Role, float, str]] = {
    "done": ("edge_done", 2.0, ""),
    "now": ("edge_now", 3.4, ""),
    "to come": ("edge_to_come", 1.4, ""),
    "untouched": ("edge_to_come", 1.2, "2 4"),
}


def line(edge: DrawnEdge, curve: tuple[Point, ...], status: Status) -> str:
    """Draw one edge, with an arrow if it carries a gradient."""
    if edge.kind == "saved":
        path = element("path", **_path(curve, "saved_border", 1.3, "3 3"))
        return element("g", path, id=edge.id, class_=edge.kind)
    if edge.kind in ("made", "dead_end"):
        path = element("path", **_path(curve, "edge_link", 1.3, "1.4 3"))
        return element("g", path, id=edge.id, class_=edge.kind)
    if edge.kind == "cut":
        path = element("path", **_path(curve, "failing_border", 2.0, "5.5 4"))
        return element("g", path + _cross(curve), id=edge.id, class_=edge.kind)
    role, width, dashes = _STROKES[status]
    tip = arrow(curve, 3.2 + 1.4 * width)
    shortened = (*curve[:-1], _between(tip[1], tip[2]))
    path = element("path", **_path(shortened, role, width, dashes))
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in tip)
    head = element("polygon", points=points, fill=paint(role))
    return element("g", path + head, id=edge.id, class_=f"{edge.kind} {status}")


def _cross(curve: tuple[Point, ...]) -> str:
    """Draw the cross over the middle of a path that no gradient can take."""
    at = (len(curve) - 1) // 6 * 3
    first, second, third, last = curve[at : at + 4]
    x, y = (
        (a + 3 * b + 3 * c + d) / 8 for a, b, c, d in zip(first, second, third, last, strict=True)
    )
    data = f"M{x - 6:.2f},{y - 6:.2f} l12,12 M{x - 6:.2f},{y + 6:.2f} l12,-12"
    return element("path", d=data, fill="none", stroke=paint("failing_border"), stroke_width=2.0)


def arrow(curve: tuple[Point, ...], size: float) -> tuple[Point, Point, Point]:
    """Tip and two corners of the arrow at the end of a curve."""
    end = curve[-1]
    before = next(
        (p for p in reversed(curve[:-1]) if math.dist(p, end) > 0.5), (end[0], end[1] + 1)
    )
    length = math.dist(before, end)
    along = ((end[0] - before[0]) / length, (end[1] - before[1]) / length)
    base = (end[0] - along[0] * size, end[1] - along[1] * size)
    half = size * 0.45
    across = (-along[1] * half, along[0] * half)
    corners = (base[0] + across[0], base[1] + across[1]), (base[0] - across[0], base[1] - across[1])
    return end, *corners


def label(content: str, room: Rect) -> str:
    """Draw the label of a gradient in the space reserved for it."""
    font = FONTS["label"]
    height = font.size * 1.21
    top = room.y + (room.height - height) / 2
    # An outline in the background color keeps the text readable near an edge.
    rim: Attributes = {"stroke": paint("canvas"), "stroke_width": 3, "paint_order": "stroke"}
    baseline = top + BASELINE * height
    return text(content, room.x + 5, baseline, "label", paint("edge_label"), more=rim)


def _path(curve: tuple[Point, ...], role: Role, width: float, dashes: str) -> Attributes:
    start, *rest = [f"{x:.2f},{y:.2f}" for x, y in curve]
    pieces = (" ".join(rest[at : at + 3]) for at in range(0, len(rest), 3))
    data = f"M{start}" + "".join(f" C{piece}" for piece in pieces)
    style: Attributes = {"d": data, "fill": "none", "stroke": paint(role), "stroke_width": width}
    return style | ({"stroke_dasharray": dashes} if dashes else {})


def _between(first: Point, second: Point) -> Point:
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2

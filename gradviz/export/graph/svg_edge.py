"""Edges of the graph and their labels, as SVG elements."""

from __future__ import annotations

import math

from gradviz.analysis.index.step_queries import NodeStatus
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.appearance.text_styles import BASELINE, FONTS
from gradviz.drawing.content.drawn_graph import DrawnEdge
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.graph_layout import LayoutPoint
from gradviz.export.graph.svg_elements import SvgAttributes, svg_element, svg_text_line

_STROKES: dict[NodeStatus, tuple[PaletteRole, float, str]] = {
    "done": ("edge_done", 2.0, ""),
    "now": ("edge_now", 3.4, ""),
    "to come": ("edge_to_come", 1.4, ""),
    "untouched": ("edge_to_come", 1.2, "2 4"),
}


def svg_edge(
    paint: Paint, edge: DrawnEdge, curve: tuple[LayoutPoint, ...], status: NodeStatus
) -> str:
    """Draw one edge, with an arrow if it carries a gradient."""
    if edge.kind == "saved":
        path = svg_element("path", **_path(paint, curve, "saved_border", 1.3, "3 3"))
        return svg_element("g", path, id=edge.id, class_=edge.kind)
    if edge.kind in ("made", "dead_end"):
        path = svg_element("path", **_path(paint, curve, "edge_link", 1.3, "1.4 3"))
        return svg_element("g", path, id=edge.id, class_=edge.kind)
    if edge.kind == "cut":
        path = svg_element("path", **_path(paint, curve, "failing_border", 2.0, "5.5 4"))
        return svg_element("g", path + _cross(paint, curve), id=edge.id, class_=edge.kind)
    role, width, dashes = _STROKES[status]
    tip = arrow_points(curve, 3.2 + 1.4 * width)
    # The line ends at the base of the arrow, or its thick end would cover the tip.
    shortened = (*curve[:-1], _between(tip[1], tip[2]))
    path = svg_element("path", **_path(paint, shortened, role, width, dashes))
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in tip)
    head = svg_element("polygon", points=points, fill=paint(role))
    return svg_element("g", path + head, id=edge.id, class_=f"{edge.kind} {status}")


def _cross(paint: Paint, curve: tuple[LayoutPoint, ...]) -> str:
    """Draw the cross over the middle of a path that no gradient can take."""
    at = (len(curve) - 1) // 6 * 3
    first, second, third, last = curve[at : at + 4]
    x, y = (
        (a + 3 * b + 3 * c + d) / 8 for a, b, c, d in zip(first, second, third, last, strict=True)
    )
    data = f"M{x - 6:.2f},{y - 6:.2f} l12,12 M{x - 6:.2f},{y + 6:.2f} l12,-12"
    return svg_element(
        "path", d=data, fill="none", stroke=paint("failing_border"), stroke_width=2.0
    )


def arrow_points(
    curve: tuple[LayoutPoint, ...], size: float
) -> tuple[LayoutPoint, LayoutPoint, LayoutPoint]:
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


def svg_edge_label(paint: Paint, content: str, slot: Rect) -> str:
    """Draw the label of a gradient in the space reserved for it."""
    font = FONTS["label"]
    height = font.size * 1.21
    top = slot.y + (slot.height - height) / 2
    x, baseline = slot.x + 5, top + BASELINE * height
    # An outline in the background color keeps the text readable near an edge. It is a text of its
    # own, as not every program knows `paint-order`.
    rim: SvgAttributes = {"stroke": paint("canvas"), "stroke_width": 3, "aria_hidden": "true"}
    outline = svg_text_line(content, x, baseline, "label", paint("canvas"), more=rim)
    return outline + svg_text_line(content, x, baseline, "label", paint("edge_label"))


def _path(
    paint: Paint, curve: tuple[LayoutPoint, ...], role: PaletteRole, width: float, dashes: str
) -> SvgAttributes:
    start, *rest = [f"{x:.2f},{y:.2f}" for x, y in curve]
    pieces = (" ".join(rest[at : at + 3]) for at in range(0, len(rest), 3))
    data = f"M{start}" + "".join(f" C{piece}" for piece in pieces)
    style: SvgAttributes = {
        "d": data,
        "fill": "none",
        "stroke": paint(role),
        "stroke_width": width,
    }
    return style | ({"stroke_dasharray": dashes} if dashes else {})


def _between(first: LayoutPoint, second: LayoutPoint) -> LayoutPoint:
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2

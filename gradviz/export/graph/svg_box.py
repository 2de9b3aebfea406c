"""Boxes of a drawing as SVG: outline and fill by kind and status, texts and thumbnails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from gradviz.analysis.index.step_queries import NodeStatus
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.appearance.text_styles import Measure
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import thumbnail_of
from gradviz.drawing.content.drawn_graph import DrawnKind, DrawnNode
from gradviz.drawing.content.graph_progress import HIDDEN
from gradviz.drawing.content.node_problems import problem_colors
from gradviz.drawing.geometry.box_geometry import BoxGeometry, BoxShape
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_cells import svg_cells
from gradviz.export.graph.svg_elements import svg_element, svg_text_line
from gradviz.model.tensor import TensorValue, TensorValues

_NAMES: dict[DrawnKind, str] = {
    "link": "leaf",
    "error": "failing",
    "cut": "failing",
    "dead_end": "output",
}
_ROLES = frozenset(get_args(PaletteRole))
_THICK = {"custom": 2.2, "error": 2.2}
_CUT = 9.0
_HIGH, _SIGN, _PAD = 16.0, 9.0, 5.0
"""Height of the mark of a problem, side of its triangle, and free space beside it, in pixels."""


def svg_node_box(
    paint: Paint,
    node: DrawnNode,
    face: BoxGeometry,
    rect: Rect,
    status: NodeStatus,
    values: TensorValues,
    scales: Mapping[int, float],
) -> str:
    """Draw one box with its contents."""
    parts = [_outline(paint, node, face.shape, rect, status)]
    if face.badge is not None:
        parts.append(_badge(paint, face.badge, rect, node.kind))
    ink = paint(color_role(node.kind, "text"))
    muted = status == "untouched"
    for line in face.texts:
        content = svg_text_line(
            line.text,
            rect.x + line.x,
            rect.y + line.baseline,
            line.style,
            paint("text_muted") if muted else ink,
            centred=line.centred,
        )
        parts.append(content)
    drawn = ((node.thumbnail, face.thumbnail),)
    for tiny, thumbnail_rect in (*drawn, *zip(node.samples, face.samples, strict=True)):
        if tiny is not None and thumbnail_rect is not None:
            parts.append(
                svg_thumbnail(
                    paint,
                    values(tiny.tensor),
                    _moved(thumbnail_rect, rect),
                    scales.get(tiny.tensor),
                )
            )
    return svg_element("g", "".join(parts), id=node.id, class_=f"{node.kind} {status}")


def svg_hidden_box(
    paint: Paint, node: DrawnNode, face: BoxGeometry, rect: Rect, status: NodeStatus
) -> str:
    """Draw a box with a question mark in place of contents that are hidden."""
    centre, baseline = rect.x + rect.width / 2, rect.y + rect.height / 2 + 5
    ink = paint(color_role(node.kind, "text"))
    mark = svg_text_line(HIDDEN, centre, baseline, "title", ink, centred=True)
    outline = _outline(paint, node, face.shape, rect, status)
    return svg_element("g", outline + mark, id=node.id, class_=f"{node.kind} {status}")


def color_role(kind: DrawnKind, part: str) -> PaletteRole:
    """Color role of a kind's ``fill``, ``border`` or ``svg_text_line``."""
    found = f"{_NAMES.get(kind, kind)}_{part}"
    return next(each for each in _ROLES if each == found)


def _outline(paint: Paint, node: DrawnNode, shape: BoxShape, rect: Rect, status: NodeStatus) -> str:
    hollow = status in ("to come", "untouched")
    style: dict[str, str | float] = {
        "fill": paint("canvas") if hollow else paint(color_role(node.kind, "fill")),
        "stroke": paint(color_role(node.kind, "border")),
        "stroke_width": _THICK.get(node.kind, 1.3),
    }
    if shape == "note" or node.kind in ("link", "cut") or status == "untouched":
        style["stroke_dasharray"] = "4 3"
    behind = ""
    if shape == "stack":
        behind = svg_outline(
            shape, Rect(x=rect.x + 4, y=rect.y - 4, width=rect.width, height=rect.height), **style
        )
    return behind + svg_outline(shape, rect, **style)


def svg_outline(shape: BoxShape, rect: Rect, **style: str | float) -> str:
    """Draw the outline of a shape."""
    x, y, width, height = rect.x, rect.y, rect.width, rect.height
    if shape == "chamfered":
        cut, right, bottom = _CUT, x + width, y + height
        corners = [
            (x + cut, y), (right - cut, y), (right, y + cut), (right, bottom - cut),
            (right - cut, bottom), (x + cut, bottom), (x, bottom - cut), (x, y + cut),
        ]  # fmt: skip
        points = " ".join(f"{px:.2f},{py:.2f}" for px, py in corners)
        return svg_element("polygon", points=points, stroke_linejoin="round", **style)
    if shape == "stub":
        bar = svg_element("rect", x=x, y=y - 2, width=width, height=4, fill=style["stroke"])
        return svg_element("rect", x=x, y=y, width=width, height=height, **style) + bar
    radius = {"pill": height / 2, "card": 9.0, "rounded": 4.0, "stack": 5.0, "note": 3.0}[shape]
    return svg_element("rect", x=x, y=y, width=width, height=height, rx=radius, **style)


def svg_halo(
    paint: Paint, shape: BoxShape, rect: Rect, phase: Literal["forward", "backward"]
) -> str:
    """Draw the highlight around the current box; edges that end there are drawn over it."""
    grown = Rect(x=rect.x - 4.5, y=rect.y - 4.5, width=rect.width + 9, height=rect.height + 9)
    style: dict[str, str | float] = {
        "fill": paint("forward_fill" if phase == "forward" else "backward_fill"),
        "stroke": paint(phase),
    }
    return svg_outline(shape, grown, **style, stroke_width=1.6)


def _badge(paint: Paint, badge: Rect, rect: Rect, kind: DrawnKind) -> str:
    at = _moved(badge, rect)
    return svg_outline("pill", at, fill=paint("canvas"), stroke=paint(color_role(kind, "border")))


def _moved(inner: Rect, outer: Rect) -> Rect:
    return Rect(x=outer.x + inner.x, y=outer.y + inner.y, width=inner.width, height=inner.height)


def svg_thumbnail(
    paint: Paint, value: TensorValue | None, rect: Rect, limit: float | None = None
) -> str:
    """Draw a small tensor's elements as colored cells, with numbers if they fit.

    Args:
        paint: Colors of the theme.
        value: The elements.
        rect: Where to draw them.
        limit: Colors go from ``-limit`` to ``limit``; by default, the tensor has its own scale.
    """
    if value is None:
        return ""
    shapes = thumbnail_of(value, drawing_font(), limit).shapes(rect, paint, ground="canvas")
    return svg_element("g", svg_cells(shapes))


def svg_problem_mark(paint: Paint, word: str, rect: Rect, measure: Measure) -> str:
    """Draw the mark for something that went wrong in a box."""
    x, y = rect.x + 8, rect.y - _HIGH / 2
    width, height = measure(word, "mark")
    middle, half = y + _HIGH / 2, _SIGN / 2
    ink, ground = (paint(role) for role in problem_colors(word))
    pill = svg_element(
        "rect",
        x=x,
        y=y,
        width=width + _SIGN + 3 * _PAD,
        height=_HIGH,
        rx=_HIGH / 2,
        fill=ground,
        stroke=ink,
    )
    left = x + _PAD
    points = f"{left + half},{middle - half} {left + _SIGN},{middle + half} {left},{middle + half}"
    sign = svg_element("polygon", points=points, fill=ink)
    place = (left + _SIGN + _PAD, middle + 0.3 * height)
    return pill + sign + svg_text_line(word, *place, "mark", ink)

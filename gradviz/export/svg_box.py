"""Boxes of a drawing as SVG: outline and fill by kind and status, texts and thumbnails."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from gradviz.drawing.drawn import DrawnKind, DrawnNode
from gradviz.drawing.face import Face, Shape
from gradviz.drawing.heat import colours_of, dark_ink_on, heat_of, limit_of
from gradviz.drawing.placed import Rect
from gradviz.export.svg_marks import element, paint, text
from gradviz.model.palette import Role
from gradviz.model.phrases import number_text
from gradviz.model.query import Status
from gradviz.model.tensor import TensorValue, Values

_NAMES: dict[DrawnKind, str] = {
    "link": "leaf",
    "error": "failing",
    "cut": "failing",
    "dead_end": "output",
}
_ROLES = frozenset(get_args(Role))
_THICK = {"custom": 2.2, "error": 2.2}
_CUT = 9.0


def box(node: DrawnNode, face: Face, rect: Rect, status: Status, values: Values) -> str:
    """Draw one box with its contents."""
    parts = [_outline(node, face.shape, rect, status)]
    if face.badge is not None:
        parts.append(_badge(face.badge, rect, node.kind))
    ink = paint(role(node.kind, "text"))
    muted = status == "untouched"
    for line in face.texts:
        content = text(
            line.text,
            rect.x + line.x,
            rect.y + line.baseline,
            line.style,
            paint("text_muted") if muted else ink,
            centred=line.centred,
        )
        parts.append(content)
    drawn = ((node.thumbnail, face.thumbnail),)
    for tiny, room in (*drawn, *zip(node.samples, face.samples, strict=True)):
        if tiny is not None and room is not None:
            parts.append(thumbnail(values(tiny.tensor), _moved(room, rect)))
    return element("g", "".join(parts), id=node.id, class_=f"{node.kind} {status}")


def role(kind: DrawnKind, part: str) -> Role:
    """Color role of a kind's ``fill``, ``border`` or ``text``."""
    found = f"{_NAMES.get(kind, kind)}_{part}"
    return next(each for each in _ROLES if each == found)


def _outline(node: DrawnNode, shape: Shape, rect: Rect, status: Status) -> str:
    hollow = status in ("to come", "untouched")
    style: dict[str, str | float] = {
        "fill": paint("canvas") if hollow else paint(role(node.kind, "fill")),
        "stroke": paint(role(node.kind, "border")),
        "stroke_width": _THICK.get(node.kind, 1.3),
    }
    if shape == "note" or node.kind in ("link", "cut") or status == "untouched":
        style["stroke_dasharray"] = "4 3"
    behind = ""
    if shape == "stack":
        behind = outline(
            shape, Rect(x=rect.x + 4, y=rect.y - 4, width=rect.width, height=rect.height), **style
        )
    return behind + outline(shape, rect, **style)


def outline(shape: Shape, rect: Rect, **style: str | float) -> str:
    """Draw the outline of a shape."""
    x, y, width, height = rect.x, rect.y, rect.width, rect.height
    if shape == "chamfered":
        cut, right, bottom = _CUT, x + width, y + height
        corners = [
            (x + cut, y), (right - cut, y), (right, y + cut), (right, bottom - cut),
            (right - cut, bottom), (x + cut, bottom), (x, bottom - cut), (x, y + cut),
        ]  # fmt: skip
        points = " ".join(f"{px:.2f},{py:.2f}" for px, py in corners)
        return element("polygon", points=points, stroke_linejoin="round", **style)
    if shape == "stub":
        bar = element("rect", x=x, y=y - 2, width=width, height=4, fill=style["stroke"])
        return element("rect", x=x, y=y, width=width, height=height, **style) + bar
    radius = {"pill": height / 2, "card": 9.0, "rounded": 4.0, "stack": 5.0, "note": 3.0}[shape]
    return element("rect", x=x, y=y, width=width, height=height, rx=radius, **style)


def halo(shape: Shape, rect: Rect, phase: Literal["forward", "backward"]) -> str:
    """Draw the highlight around the current box; edges that end there are drawn over it."""
    grown = Rect(x=rect.x - 4.5, y=rect.y - 4.5, width=rect.width + 9, height=rect.height + 9)
    style: dict[str, str | float] = {
        "fill": paint("forward_fill" if phase == "forward" else "backward_fill"),
        "stroke": paint(phase),
    }
    return outline(shape, grown, **style, stroke_width=1.6)


def _badge(badge: Rect, rect: Rect, kind: DrawnKind) -> str:
    at = _moved(badge, rect)
    return outline("pill", at, fill=paint("canvas"), stroke=paint(role(kind, "border")))


def _moved(inner: Rect, outer: Rect) -> Rect:
    return Rect(x=outer.x + inner.x, y=outer.y + inner.y, width=inner.width, height=inner.height)


def thumbnail(value: TensorValue | None, rect: Rect) -> str:
    """Draw a small tensor's elements as colored cells, with numbers if they fit."""
    if value is None:
        return ""
    array = np.atleast_2d(value.array())
    rows, columns = array.shape
    width, height = rect.width / columns, rect.height / rows
    heat = heat_of(array)
    colours = colours_of(heat, limit_of(array))
    dark = dark_ink_on(colours)
    parts = []
    for row, column in np.ndindex(rows, columns):
        x, y = rect.x + column * width, rect.y + row * height
        fill = "#" + bytes(colours[row, column]).hex()
        number = float(heat[row, column])
        ink = "#111111" if dark[row, column] else "#ffffff"
        if not np.isfinite(number):
            fill, ink = paint(_mark_of(number)), "#111111"
        cell = {"width": width, "height": height, "fill": fill, "stroke": paint("canvas")}
        parts.append(element("rect", x=x, y=y, stroke_width=0.8, **cell))
        written = number_text(number) if np.isfinite(number) else f"{number:.0f}"
        if height >= 14 and 5 * len(written) + 2 <= width:
            middle = (x + width / 2, y + height / 2 + 2.9)
            parts.append(text(written, *middle, "line", ink, centred=True, size=8))
    return element("g", "".join(parts))


def _mark_of(number: float) -> Role:
    if np.isnan(number):
        return "nan"
    return "positive_infinity" if number > 0 else "negative_infinity"

"""How large each box is and where its texts stand in it: the same in the window and in exports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from gradviz.drawing.drawn import DrawnGraph, DrawnKind, DrawnNode
from gradviz.drawing.style import BASELINE, Measure, TextStyle

Shape = Literal["chamfered", "rounded", "card", "pill", "stack", "note"]

SHAPES: dict[DrawnKind, Shape] = {
    "custom": "chamfered",
    "builtin": "rounded",
    "accumulate": "pill",
    "error": "chamfered",
    "leaf": "card",
    "link": "pill",
    "output": "pill",
    "saved": "note",
    "folded": "stack",
}
"""Each kind has a shape too, since colour is never the only sign.

``chamfered`` has cut corners and a thick border; ``note`` a dashed border; ``stack`` a second
border behind it.
"""

WIDE_CELL, CELL = 18.0, 10.0
"""Side of a thumbnail's cell, in points: wide ones, for few, have room for a number."""

WIDE_CELLS = 4
"""Thumbnails of at most so many rows and columns have wide cells."""

_PAD_X, _PAD_Y, _GAP, _LEADING = 12.0, 8.0, 12.0, 3.0
_PILL_X, _PILL_Y = 14.0, 5.0
_BADGE_X, _BADGE_GAP = 4.5, 7.0
_LABEL_X, _LABEL_Y = 5.0, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A rectangle in points, y downwards; its corner is the upper left one."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedText:
    """A line of text at its place in the box.

    Attributes:
        text: Plain text.
        style: How it is set.
        x: Its left end, or its middle where ``centred``.
        baseline: From the box's upper edge.
        centred: What ``x`` means.
        width: As measured.
    """

    text: str
    style: TextStyle
    x: float
    baseline: float
    centred: bool
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """A box from inside; everything in points from its upper left corner.

    Attributes:
        shape: Outline.
        width: Of the box, a whole number.
        height: Of the box, a whole number.
        texts: Title first.
        badge: The round mark of a link, around a text in the style ``mark``; None for none.
        thumbnail: Room for the elements of ``DrawnNode.thumbnail``; None for none.
    """

    shape: Shape
    width: float
    height: float
    texts: tuple[PlacedText, ...]
    badge: Rect | None
    thumbnail: Rect | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Faces:
    """All sizes that a layout needs.

    Attributes:
        boxes: By id of the box.
        labels: Width and height of the room for an edge's label, by id of the edge.
    """

    boxes: dict[str, Face]
    labels: dict[str, tuple[float, float]]


def faces_of(graph: DrawnGraph, measure: Measure) -> Faces:
    """Sets every box and label of a graph."""
    labels = {edge.id: _label_room(edge.labels, measure) for edge in graph.edges if edge.labels}
    return Faces(boxes={node.id: face_of(node, measure) for node in graph.nodes}, labels=labels)


def _label_room(labels: tuple[str, ...], measure: Measure) -> tuple[float, float]:
    sizes = [measure(label, "label") for label in labels]
    width = math.ceil(max(size[0] for size in sizes) + 2 * _LABEL_X)
    return width, math.ceil(max(size[1] for size in sizes) + 2 * _LABEL_Y)


def face_of(node: DrawnNode, measure: Measure) -> Face:
    """Sets one box."""
    shape = SHAPES[node.kind]
    styles: list[TextStyle] = ["title", *["line"] * len(node.lines)]  # type: ignore[list-item]
    if node.kind in ("accumulate", "link", "saved"):
        styles[0] = "label" if node.kind != "accumulate" else "line"
    rows = [
        (text, style, *measure(text, style))
        for text, style in zip((node.title, *node.lines), styles, strict=True)
    ]
    badge = measure(str(node.link), "mark") if node.link is not None else None
    return _set(shape, rows, badge, node)


def cell_side(cells: tuple[int, int]) -> float:
    """Side of the cells of a thumbnail with so many rows and columns, in points."""
    return WIDE_CELL if max(cells) <= WIDE_CELLS else CELL


def _set(
    shape: Shape,
    rows: list[tuple[str, TextStyle, float, float]],
    badge: tuple[float, float] | None,
    node: DrawnNode,
) -> Face:
    pad_x, pad_y = (_PILL_X, _PILL_Y) if shape == "pill" else (_PAD_X, _PAD_Y)
    mark = 0.0 if badge is None else max(badge[0] + 2 * _BADGE_X, badge[1] + 2)
    mark_room = mark + _BADGE_GAP if mark else 0.0
    text_width = max(rows[0][2] + mark_room, *(row[2] for row in rows), 24.0)
    text_height = sum(row[3] for row in rows) + _LEADING * (len(rows) - 1)
    side = cell_side(node.cells)
    picture = (node.cells[1] * side, node.cells[0] * side)
    inner_height = max(text_height, picture[1])
    width = 2 * pad_x + text_width + (_GAP + picture[0] if picture[0] else 0)
    height = 2 * pad_y + inner_height
    centred = not picture[0] and not mark and (len(rows) == 1 or shape == "pill")
    middle = math.ceil(width) / 2
    texts = _place_rows(rows, middle if centred else pad_x, (height - text_height) / 2, centred)
    rect = None
    if badge is not None:
        top = (height - text_height) / 2 + (rows[0][3] - badge[1] - 2) / 2
        left = pad_x + rows[0][2] + _BADGE_GAP
        rect = Rect(x=left, y=top, width=mark, height=badge[1] + 2)
        texts.append(_mark(str(node.link), rect, badge))
    return Face(
        shape=shape,
        width=math.ceil(width),
        height=math.ceil(height),
        texts=tuple(texts),
        badge=rect,
        thumbnail=_thumbnail(math.ceil(width) - pad_x, height, picture),
    )


def _place_rows(
    rows: list[tuple[str, TextStyle, float, float]], x: float, top: float, centred: bool
) -> list[PlacedText]:
    texts = []
    for text, style, width, height in rows:
        baseline = top + BASELINE * height
        texts.append(
            PlacedText(text=text, style=style, x=x, baseline=baseline, centred=centred, width=width)
        )
        top += height + _LEADING
    return texts


def _mark(text: str, rect: Rect, size: tuple[float, float]) -> PlacedText:
    return PlacedText(
        text=text,
        style="mark",
        x=rect.x + rect.width / 2,
        baseline=rect.y + 1 + BASELINE * size[1],
        centred=True,
        width=size[0],
    )


def _thumbnail(right: float, height: float, picture: tuple[float, float]) -> Rect | None:
    if not picture[0]:
        return None
    top = (height - picture[1]) / 2
    return Rect(x=right - picture[0], y=top, width=picture[0], height=picture[1])

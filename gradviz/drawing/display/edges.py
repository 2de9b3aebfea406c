"""Edges and their labels: width, dashes, color and head show how far a gradient has come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import Measure
from gradviz.drawing.content.drawn_graph import DrawingDetail, EdgeKind
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_progress import DONE, NOW, TO_COME, UNTOUCHED
from gradviz.drawing.display.curves import (
    ArrowHead,
    arrow_head,
    direction_at_end,
    moved_end,
    outline_of_curve,
    point_along,
    without_head,
)
from gradviz.drawing.display.outlines import entry_point
from gradviz.drawing.display.parts import (
    Part,
    Pen,
    RoundedRect,
    Shape,
    TensorCells,
    TextRun,
    middle_baseline,
    polyline,
)
from gradviz.drawing.geometry.box_geometry import (
    LABEL_X,
    LABEL_Y,
    BoxShape,
    label_lines,
    label_text_size,
    rect_beside_label,
)
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.model.arrays import FloatArray

LINK = 4
"""State of a line to a tensor that a node saved or made; no gradient flows along it."""

CUT = 5
"""State of a path that a gradient would need but cannot take."""

FIXED: dict[EdgeKind, int] = {"saved": LINK, "made": LINK, "cut": CUT, "dead_end": LINK}
"""Constant states of lines along which no gradient flows in any step."""

_CROSSED = 0.62
"""Position of the cross along a line, clear of the title of a frame that the line leaves."""

_CLEAR = 1.2
"""Gap between the tip of an arrow and the middle of the target's border."""


@dataclass(frozen=True, slots=True)
class LineStyle:
    """Style of a line in one state, in points.

    Attributes:
        pen: Its stroke.
        head: Arrow head, or None.
        cross: Half the side of the cross on the line; 0 for no cross.
    """

    pen: Pen
    head: ArrowHead | None
    cross: float = 0.0


STROKES: dict[int, LineStyle] = {
    LINK: LineStyle(Pen("edge_link", 1.4, (1.4, 3.0)), None),
    CUT: LineStyle(Pen("failing_border", 2.0, (5.5, 4.0)), None, 6.0),
    UNTOUCHED: LineStyle(Pen("edge_to_come", 1.3, (1.4, 3.0)), ArrowHead(8.0, 3.2)),
    TO_COME: LineStyle(Pen("edge_to_come", 1.4, (5.5, 3.5)), ArrowHead(8.5, 3.4)),
    DONE: LineStyle(Pen("edge_done", 2.2), ArrowHead(10.5, 4.4)),
    NOW: LineStyle(Pen("edge_now", 3.4), ArrowHead(13.5, 6.0)),
}
"""In drawing order: dotted if no gradient flows, dashed if pending, bold if current."""

GLOW_WIDTH, GLOW_OPACITY = 10.0, 0.22
"""Width and opacity of the glow below a line that is current or selected."""


def extended_to(shape: BoxShape, box: Rect, points: FloatArray) -> FloatArray:
    """Extend a curve to the outline of its target, which its layout takes for a rectangle."""
    x, y = points[-1].tolist()
    missing = entry_point(shape, box, (x, y), direction_at_end(points))
    return moved_end(points, missing - _CLEAR)


def line_body(points: FloatArray, state: int) -> FloatArray:
    """The part of a curve that is stroked: all of it, or up to its arrow head."""
    head = STROKES[state].head
    return points if head is None else without_head(points, head)


def edge_shapes(points: FloatArray, state: int) -> Iterator[Shape]:
    """A curve in a state, whose last point is the tip of its arrow: line, then cross or head.

    Below a current one is a glow.
    """
    style = STROKES[state]
    body = line_body(points, state)
    if state == NOW:
        glow = Pen(style.pen.ink, GLOW_WIDTH, is_round=True)
        yield Shape(outline_of_curve(body), pen=glow, opacity=GLOW_OPACITY)
    yield Shape(outline_of_curve(body), pen=style.pen)
    if style.cross:
        yield from cross_shapes(point_along(body, _CROSSED), style.cross)
    if style.head is not None:
        yield Shape(arrow_head(points, style.head), fill=style.pen.ink)


def cross_shapes(middle: Point, half: float) -> Iterator[Shape]:
    """Two crossing strokes around a point."""
    x, y = middle
    pen = Pen("failing_border", STROKES[CUT].pen.width)
    for end in (half, -half):
        yield Shape(polyline((x - half, y - end), (x + half, y + end)), pen=pen)


AWAY = 2.0
"""Gap between a line and its label's background."""

_ROUND = 4.0


def label_parts(
    label: str,
    gradient: ElementGrid | None,
    slot: Rect,
    detail: DrawingDetail,
    measure: Measure,
    *,
    is_now: bool = False,
) -> Iterator[Part]:
    """The label of a gradient in the space reserved for it: background, text, elements.

    Args:
        label: Its text.
        gradient: A gradient whose elements are drawn, or None.
        slot: The space.
        detail: Decides where a long label has a second line.
        measure: Measures text.
        is_now: Whether the gradient flows in this step.
    """
    # Left-aligned to stay close to the line, and no higher than the text needs.
    width, height = label_text_size(label, detail, measure)
    high = min(slot.height, height + 2 * LABEL_Y)
    ground = Rect(
        x=slot.x + AWAY,
        y=slot.y + (slot.height - high) / 2,
        width=width + 2 * LABEL_X - AWAY,
        height=high,
    )
    if gradient is not None:
        ground = Rect(x=slot.x + AWAY, y=slot.y, width=slot.width - AWAY, height=slot.height)
    pen = Pen("edge_now", 1.2) if is_now else None
    yield Shape(RoundedRect(ground, _ROUND), "edge_label_fill", pen)
    lines = label_lines(label, detail, measure)
    line_height = height / len(lines)
    ink: PaletteRole = "edge_label"
    for number, line in enumerate(lines):
        top = ground.center[1] + (number - len(lines) / 2) * line_height
        row = Rect(x=0, y=top, width=0, height=line_height)
        baseline = middle_baseline(row, "label", measure)
        yield TextRun(line, slot.x + LABEL_X + AWAY / 2, baseline, "label", ink)
    if gradient is not None:
        yield TensorCells(gradient.tensor, rect_beside_label(slot, gradient))

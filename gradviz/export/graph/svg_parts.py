"""The parts of a drawing, and small tensors, as SVG elements."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import thumbnail_of
from gradviz.drawing.display.parts import (
    FramePart,
    Outline,
    Part,
    RoundedRect,
    Shape,
    TextRun,
    ValuePlane,
)
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_cells import svg_cells
from gradviz.export.graph.svg_elements import SvgAttributes, svg_element, svg_number, svg_text_line
from gradviz.model.tensor import TensorValue


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


def svg_parts(paint: Paint, parts: Iterable[Part | FramePart]) -> str:
    """Draw parts in their order, without the elements of tensors that were not read."""
    return "".join(_part(paint, part) for part in parts)


def _part(paint: Paint, part: Part | FramePart) -> str:
    if isinstance(part, Shape):
        return _shape(paint, part)
    if isinstance(part, TextRun):
        return svg_text_line(part.text, part.x, part.baseline, part.style, paint(part.ink))
    if isinstance(part, ValuePlane):
        return svg_thumbnail(paint, part.value, part.rect, part.limit)
    return ""


def _shape(paint: Paint, shape: Shape) -> str:
    style: SvgAttributes = {"fill": "none" if shape.fill is None else paint(shape.fill)}
    if (pen := shape.pen) is not None:
        style |= {"stroke": paint(pen.ink), "stroke_width": pen.width}
        if pen.dash is not None:
            style["stroke_dasharray"] = " ".join(map(svg_number, pen.dash))
        if pen.is_round:
            style["stroke_linecap"] = "round"
    if shape.opacity < 1:
        style["opacity"] = shape.opacity
    outline = shape.outline
    if isinstance(outline, RoundedRect):
        rect = outline.rect
        place = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height}
        round_ends = {"rx": outline.radius} if outline.radius else {}
        return svg_element("rect", **place, **round_ends, **style)
    return svg_element("path", d=_data(outline), **style)


def _data(outline: Outline) -> str:
    return "".join(
        letter + " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in points)
        for letter, points in outline.commands
    )

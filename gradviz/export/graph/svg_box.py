"""Small tensors as SVG elements."""

from __future__ import annotations

from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import thumbnail_of
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_cells import svg_cells
from gradviz.export.graph.svg_elements import svg_element
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

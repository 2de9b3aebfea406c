"""A picture of a story as SVG."""

from __future__ import annotations

from gradviz.drawing.appearance.palette import Paint
from gradviz.export.graph.svg_document import svg_document
from gradviz.export.graph.svg_elements import svg_element, svg_moved
from gradviz.export.graph.svg_parts import svg_parts
from gradviz.story.frame import Drawn, Frame


def frame_svg(frame: Frame, paint: Paint) -> str:
    """Draw a picture; `paint` returns the color of a role."""
    inside = "\n".join(_drawn(each, paint) for each in frame.drawn)
    return svg_document(inside, frame.width, frame.height, paint("canvas"), title=frame.spoken)


def _drawn(drawn: Drawn, paint: Paint) -> str:
    inside = svg_parts(paint, drawn.parts)
    if drawn.opacity < 1:
        inside = svg_element("g", inside, opacity=drawn.opacity)
    moved = svg_moved(inside, drawn.x, drawn.y, drawn.scale)
    if not drawn.link:
        return moved
    # What makes a PDF of it finds its place by the id.
    return svg_element("a", svg_element("g", moved, id="link"), href=drawn.link)

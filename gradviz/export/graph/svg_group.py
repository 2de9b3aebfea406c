"""Frames of open groups and the progress of folded ones, as SVG elements."""

from __future__ import annotations

from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.content.drawn_graph import DrawnFrame, DrawnGraph
from gradviz.drawing.geometry.box_geometry import FrameGeometry
from gradviz.drawing.geometry.rect import PlacedText, Rect
from gradviz.export.graph.svg_elements import svg_element, svg_text_line

_ROUND = 10.0


def group_frame_depths(graph: DrawnGraph) -> dict[str, int]:
    """Nesting depth of each frame, by its id."""
    found = {"": -1}
    for frame in graph.frames:
        found[frame.id] = found[frame.parent] + 1
    return found


def svg_group_frame(paint: Paint, drawn: DrawnFrame, rect: Rect, depth: int) -> str:
    """Draw the background of an open group."""
    fill = paint("frame_inner" if depth % 2 else "frame_fill")
    size = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height, "rx": _ROUND}
    inside = svg_element("rect", fill=fill, stroke=paint("frame_border"), **size)
    return svg_element("g", inside, id=drawn.id, class_="frame")


def svg_group_title(paint: Paint, face: FrameGeometry, rect: Rect, depth: int) -> str:
    """Draw the title of a frame on a background that covers crossing edges."""
    if not face.texts:
        return ""
    # An export has no close button, so the title takes its place.
    left = face.sign.x - face.texts[0].x
    width = face.texts[-1].x + face.texts[-1].width + left
    ground = svg_element(
        "rect",
        x=rect.x + face.sign.x - 3,
        y=rect.y + 4,
        width=width - face.sign.x + 6,
        height=face.height - 6,
        fill=paint("frame_inner" if depth % 2 else "frame_fill"),
    )
    ink = paint("frame_text")
    return ground + "".join(
        svg_text_line(each.text, rect.x + each.x + left, rect.y + each.baseline, each.style, ink)
        for each in face.texts
    )


def svg_group_progress(paint: Paint, slot: PlacedText, rect: Rect, content: str) -> str:
    """Draw how many nodes of a folded group are done."""
    place = (rect.x + slot.x, rect.y + slot.baseline)
    return svg_text_line(content, *place, slot.style, paint("folded_text"))

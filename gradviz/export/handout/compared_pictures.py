"""The graphs of two compared runs side by side."""

from __future__ import annotations

from gradviz.drawing.appearance.palette import Paint
from gradviz.export.graph.svg_document import SvgPicture
from gradviz.export.graph.svg_elements import svg_element, svg_moved
from gradviz.export.handout.page_layout import PageColumn

_GAP = 28.0


def draw_side_by_side(
    pictures: tuple[SvgPicture, SvgPicture], captions: tuple[str, str], paint: Paint
) -> SvgPicture:
    """Draw two pictures beside each other, each below its caption and with a line between."""
    columns = [_captioned(*each, paint) for each in zip(pictures, captions, strict=True)]
    left, right = columns
    height = max(each.y for each in columns)
    line = svg_element("path", d=f"M{left.width + _GAP:.1f} 0v{height:.1f}", stroke=paint("border"))
    inside = "\n".join((left.inside, line, svg_moved(right.inside, left.width + 2 * _GAP, 0)))
    return SvgPicture(inside=inside, width=left.width + 2 * _GAP + right.width, height=height)


def _captioned(picture: SvgPicture, caption: str, paint: Paint) -> PageColumn:
    column = PageColumn(paint, picture.width)
    column.text(caption, size=13, style="label", most=2)
    column.y += 6
    column.put(picture.inside, 0, picture.height)
    return column

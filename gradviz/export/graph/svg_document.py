"""A whole SVG document around a drawing."""

from __future__ import annotations

from gradviz.export.graph.svg_elements import svg_element, xml_text

SvgSize = tuple[int, int]
"""Width and height of a figure in pixels."""


def svg_document(
    inside: str,
    width: float,
    height: float,
    background: str,
    *,
    title: str = "",
    description: str = "",
    size: SvgSize | None = None,
) -> str:
    """Return a document.

    Args:
        inside: The drawing, from the origin on.
        width: Its width.
        height: Its height.
        background: Color behind it; ``none`` for a transparent one.
        title: Title for readers that show one.
        description: Text for readers who cannot see the drawing.
        size: Size of the figure, in which the drawing is scaled and centered; None for its own.
    """
    pixels = (round(width), round(height)) if size is None else size
    scale = min(pixels[0] / width, pixels[1] / height) if size is not None else 1
    wide, high = (pixels[0] / scale, pixels[1] / scale) if size is not None else (width, height)
    left, top = (width - wide) / 2, (height - high) / 2
    told = [svg_element("title", xml_text(title))] if title else []
    told += [svg_element("desc", xml_text(description))] if description else []
    back = svg_element("rect", x=left, y=top, width=wide, height=high, fill=background)
    svg = svg_element(
        "svg",
        "\n".join(("", *told, back, inside, "")),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"{left:g} {top:g} {wide:.2f} {high:.2f}",
        width=str(pixels[0]),
        height=str(pixels[1]),
        role="img",
        # The default, except for ImageMagick's own renderer, which makes text bold with a rim.
        stroke="none",
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'

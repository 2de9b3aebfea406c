"""SVG markup: elements with escaped attributes, and plain text."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from gradviz.drawing.style import FAMILIES, FONTS, TextStyle
from gradviz.drawing.text import shown
from gradviz.model.palette import Role, colour

Attribute = str | float
Attributes = dict[str, Attribute]


def paint(role: Role) -> str:
    """Color of a role in the light theme, which suits papers and slides."""
    return colour(role, "light")


def element(name: str, inside: str = "", /, **attributes: Attribute) -> str:
    """Format one element; ``stroke_width=2`` becomes ``stroke-width="2"``.

    Args:
        name: Name of the element.
        inside: Its content, as SVG.
        **attributes: Their values are escaped.
    """
    texts = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_value(value))}"
        for key, value in attributes.items()
    )
    return f"<{name}{texts}>{inside}</{name}>" if inside else f"<{name}{texts}/>"


def text(
    content: str,
    x: float,
    baseline: float,
    style: TextStyle,
    fill: str,
    *,
    centred: bool = False,
    size: float | None = None,
    more: Attributes | None = None,
) -> str:
    """Format one line of plain text; markup in it is escaped."""
    font = FONTS[style]
    attributes: Attributes = {
        "x": x,
        "y": baseline,
        "font_family": FAMILIES,
        "font_size": font.size if size is None else size,
        "font_weight": font.weight,
        "fill": fill,
    }
    if centred:
        attributes["text_anchor"] = "middle"
    return element("text", plain(content), **attributes, **(more or {}))


def plain(content: str) -> str:
    """Escape text for element content; control characters, invalid in XML, become visible."""
    return escaped(shown(content, most=400))


def escaped(printable: str) -> str:
    """Escape printable text for element content in XML and HTML."""
    return escape(printable)


def _value(value: Attribute) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")

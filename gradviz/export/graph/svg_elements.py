"""SVG markup: elements with escaped attributes, and plain text."""

from __future__ import annotations

from functools import cache
from xml.sax.saxutils import escape, quoteattr

from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.text_styles import FAMILIES, FONTS, TextStyle
from gradviz.drawing.content.plain_text import label_text

SvgAttribute = str | float
SvgAttributes = dict[str, SvgAttribute]


def svg_element(name: str, inside: str = "", /, **attributes: SvgAttribute) -> str:
    """Format one element; ``stroke_width=2`` becomes ``stroke-width="2"``.

    Args:
        name: Name of the element.
        inside: Its content, as SVG.
        **attributes: Their values are escaped.
    """
    texts = "".join(f" {_name(key)}={_quoted(value)}" for key, value in attributes.items())
    return f"<{name}{texts}>{inside}</{name}>" if inside else f"<{name}{texts}/>"


def svg_moved(inside: str, x: float, y: float, scale: float = 1) -> str:
    """Move a fragment to the right and down, and scale it."""
    if (x, y, scale) == (0, 0, 1):
        return inside
    move = f"translate({x:.2f} {y:.2f})"
    moves = [move] if scale == 1 else [move, f"scale({scale:.4f})"]
    return svg_element("g", inside, transform=" ".join(moves))


def svg_text_line(
    content: str,
    x: float,
    baseline: float,
    style: TextStyle,
    fill: str,
    *,
    centred: bool = False,
    size: float | None = None,
    more: SvgAttributes | None = None,
) -> str:
    """Format one line of plain text; markup in it is escaped.

    It has the width that it was measured with, because the reader's font may be wider.
    """
    font, shown = FONTS[style], label_text(content, most=_MOST_CHARACTERS)
    pixels = font.size if size is None else size
    attributes: SvgAttributes = {
        "x": x,
        "y": baseline,
        "font_family": FAMILIES if font.family == "Inter" else font.family,
        "font_size": pixels,
        "font_weight": font.weight,
        "fill": fill,
    }
    if shown:
        attributes["textLength"] = font_measure()(shown, style)[0] * pixels / font.size
        attributes["lengthAdjust"] = "spacingAndGlyphs"
    if centred:
        attributes["text_anchor"] = "middle"
    return svg_element("text", escaped(shown), **attributes, **(more or {}))


_MOST_CHARACTERS = 400


def xml_text(content: str) -> str:
    """Escape text for element content; control characters, invalid in XML, become visible."""
    return escaped(label_text(content, most=_MOST_CHARACTERS))


def escaped(printable: str) -> str:
    """Escape printable text for element content in XML and HTML."""
    return escape(printable)


@cache
def _name(key: str) -> str:
    # Names such as `class_` end with an underscore where Python reserves the word.
    return key.rstrip("_").replace("_", "-")


def _quoted(value: SvgAttribute) -> str:
    return quoteattr(value) if isinstance(value, str) else f'"{svg_number(value)}"'


def svg_number(value: float) -> str:
    """Format a coordinate or a length."""
    # Hundredths are finer than a screen shows, and keep the files of large graphs small.
    return f"{value:.2f}".rstrip("0").rstrip(".")

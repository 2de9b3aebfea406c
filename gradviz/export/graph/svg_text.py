"""The text of a finished SVG: as outlines, or with the fonts that it needs."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from xml.etree import ElementTree

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from gradviz.drawing.appearance.font_metrics import (
    PER_EM,
    font_table,
    fonts_of_weight,
    text_outline,
)
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.export.graph.svg_elements import svg_element
from gradviz.resource import resource_path

_NAMESPACE = "http://www.w3.org/2000/svg"
_TEXT = f"{{{_NAMESPACE}}}text"
_PATH = f"{{{_NAMESPACE}}}path"

_NAMES = (0, 13, 14)
"""Name records with copyright and license, which the license requires to keep."""

_INHERITED = {"font-size": "16", "font-weight": "400", "text-anchor": "start"}
_OF_TEXT = frozenset((*_INHERITED, "x", "y", "font-family", "textLength", "lengthAdjust"))
"""Attributes that an outline no longer needs."""

_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}

ElementTree.register_namespace("", _NAMESPACE)


def with_outlined_text(svg: str) -> str:
    """Draw the text of an SVG as outlines, so that every program shows it alike.

    Many programs lack the font, and do not scale text to the width that it was measured with. The
    text itself remains as ``aria-label``. A line with a character that the bundled fonts lack stays
    text.
    """
    root = ElementTree.fromstring(svg)
    for element, style in [*_texts(root, _INHERITED)]:
        _outline(element, style)
    stream = io.BytesIO()
    ElementTree.ElementTree(root).write(stream, encoding="UTF-8", xml_declaration=True)
    return f"{stream.getvalue().decode()}\n"


def _outline(element: ElementTree.Element, style: Mapping[str, str]) -> None:
    """Turn a text into a path, if it has an outline."""
    text = element.text or ""
    found = text_outline(text, int(style["font-weight"]))
    if found is None:
        return
    data, width = found
    scale = float(style["font-size"]) / PER_EM
    # Text is measured without the font for what the first one lacks.
    across = float(element.get("textLength", width * scale)) / (width or 1)
    left = float(element.get("x", 0)) - _ANCHORS[style["text-anchor"]] * width * across
    place = f"translate({left:.2f} {element.get('y', '0')}) scale({across:.6g} {scale:.6g})"
    kept = {key: value for key, value in element.items() if key not in _OF_TEXT}
    if "stroke-width" in kept:
        kept["stroke-width"] = f"{float(kept['stroke-width']) / scale:.6g}"
    transform = f"{kept.get('transform', '')} {place}".strip()
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = _PATH, None, tail
    element.attrib.update({**kept, "transform": transform, "d": data, "aria-label": text})


def _texts(
    element: ElementTree.Element, style: Mapping[str, str]
) -> Iterator[tuple[ElementTree.Element, Mapping[str, str]]]:
    """The lines of text inside an element, with the properties that they may inherit."""
    own = {key: element.get(key, value) for key, value in style.items()}
    if element.tag == _TEXT:
        yield element, own
    for child in element:
        yield from _texts(child, own)


def with_embedded_fonts(svg: str) -> str:
    """Embed the fonts of a drawing, each with no more than the characters in use.

    Characters that the bundled fonts lack are drawn in a font of the reader.
    """
    used: dict[int, set[str]] = {}
    for element, own in _texts(ElementTree.fromstring(svg), _INHERITED):
        used.setdefault(int(own["font-weight"]), set()).update(element.text or "")
    style = "".join(face for weight in sorted(used) for face in _faces(weight, used[weight]))
    # Without a font, an empty element would remain.
    inside = svg_element("style", style) if style else ""
    return re.sub(r"<svg\b[^>]*>", lambda root: f"{root[0]}\n{inside}", svg, count=1)


def _faces(weight: int, characters: set[str]) -> Iterator[str]:
    """Yield ``@font-face`` rules for the characters of a font weight."""
    family = next(each.family for each in FONTS.values() if each.weight == weight)
    left = {each for each in characters if each.isprintable()}
    for file in fonts_of_weight(weight):
        covered = frozenset(each for each in left if ord(each) in font_table(file).glyphs)
        left -= covered
        if covered:
            data = base64.b64encode(_subset(file, covered)).decode("ascii")
            # Two fonts share a family and a weight if each has a range.
            ranges = ",".join(f"U+{ord(each):X}" for each in sorted(covered))
            yield (
                f"@font-face{{font-family:{family};font-weight:{weight};"
                f"unicode-range:{ranges};src:url(data:font/woff;base64,{data})format('woff')}}\n"
            )


@lru_cache(maxsize=64)
def _subset(file: str, characters: frozenset[str]) -> bytes:
    """Return a subset of a bundled font as WOFF."""
    # The date of a change would make each export differ.
    with TTFont(resource_path(f"fonts/{file}"), recalcTimestamp=False) as font:
        subsetter = Subsetter(Options(hinting=False, notdef_outline=True, name_IDs=[*_NAMES]))
        subsetter.populate(text="".join(sorted(characters)))
        subsetter.subset(font)
        font.flavor = "woff"
        stream = io.BytesIO()
        font.save(stream)
    return stream.getvalue()

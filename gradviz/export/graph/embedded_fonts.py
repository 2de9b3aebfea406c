"""The characters of a drawing in the bundled fonts, embedded in its SVG.

Needs fontTools, from the extra ``fonts``.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from functools import lru_cache
from xml.etree import ElementTree

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from gradviz.drawing.appearance.font_metrics import read_font
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.export.graph.svg_elements import svg_element
from gradviz.resource import resource_path

_SVG = "{http://www.w3.org/2000/svg}"
_NORMAL = 400
_CHINESE = {400: "NotoSansSC-Regular.otf", 600: "NotoSansSC-Bold.otf"}
"""Fonts for what the font of a weight lacks."""

_NAMES = (0, 13, 14)
"""Name records with copyright and license, which the license requires to keep."""


def with_embedded_fonts(svg: str) -> str:
    """Embed the fonts of a drawing, each with no more than the characters in use.

    Characters that the bundled fonts lack are drawn in a font of the reader.
    """
    used: dict[int, set[str]] = {}
    for element, weight in _texts(ElementTree.fromstring(svg), _NORMAL):
        used.setdefault(weight, set()).update("".join(element.itertext()))
    style = "".join(face for weight in sorted(used) for face in _faces(weight, used[weight]))
    # Without a font, an empty element would remain.
    inside = svg_element("style", style) if style else ""
    return re.sub(r"<svg\b[^>]*>", lambda root: f"{root[0]}\n{inside}", svg, count=1)


def _texts(element: ElementTree.Element, weight: int) -> Iterator[tuple[ElementTree.Element, int]]:
    """The lines of text inside an element, with their weights, which they may inherit."""
    weight = int(element.get("font-weight", weight))
    if element.tag == f"{_SVG}text":
        yield element, weight
    for child in element:
        yield from _texts(child, weight)


def _faces(weight: int, characters: set[str]) -> Iterator[str]:
    """Yield ``@font-face`` rules for the characters of a font weight."""
    font = next(each for each in FONTS.values() if each.weight == weight)
    left = {each for each in characters if each.isprintable()}
    for file in (font.file, _CHINESE[weight]):
        known = read_font(resource_path(f"fonts/{file}")).advances
        covered = frozenset(each for each in left if ord(each) in known)
        left -= covered
        if covered:
            data = base64.b64encode(_subset(file, covered)).decode("ascii")
            # Two fonts share a family and a weight if each has a range.
            ranges = ",".join(f"U+{ord(each):X}" for each in sorted(covered))
            yield (
                f"@font-face{{font-family:{font.family};font-weight:{weight};"
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

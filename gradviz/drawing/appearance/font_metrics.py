"""Text measurement and outlines from the bundled fonts, for code without a window.

Kerning is ignored; it only makes text narrower.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from unicodedata import east_asian_width

from fontTools.pens.recordingPen import RecordingPen
from fontTools.ttLib import TTFont

from gradviz.drawing.appearance.text_styles import FONTS, Measure, TextStyle
from gradviz.resource import resource_path

_CHINESE = {400: "NotoSansSC-Regular.otf", 600: "NotoSansSC-Bold.otf"}
"""Fonts for what the font of a weight lacks."""


PER_EM = 1000
"""Units of an outline for the size of its font."""

_COMMANDS = {"moveTo": "m", "lineTo": "l", "curveTo": "c"}
"""Relative SVG commands for what the outlines of the bundled fonts consist of."""


@dataclass(frozen=True, slots=True)
class FontTable:
    """Widths of the characters of a font, as fractions of its size, and their outlines.

    Attributes:
        advances: Width by code point.
        missing: Width of the box for a missing character.
        height: Height of a line.
        glyphs: Name of the glyph by code point.
        font: The font, as fontTools reads it.
    """

    advances: dict[int, float]
    missing: float
    height: float
    glyphs: dict[int, str]
    font: TTFont

    def width(self, text: str) -> float:
        """Width of a line of text, as a fraction of the font size."""
        return sum(self.advances.get(ord(each), self._guess(each)) for each in text)

    def _guess(self, character: str) -> float:
        if east_asian_width(character) in "FW":
            # Every font of these scripts draws them in a square; pictures are wider.
            return 1.0 if ord(character) < 0x10000 else 1.4
        return self.missing


def font_measure() -> Measure:
    """Return a `Measure` that uses the bundled fonts."""

    def measure(text: str, style: TextStyle) -> tuple[float, float]:
        font = FONTS[style]
        table = font_table(font.file)
        return table.width(text) * font.size, table.height * font.size

    return measure


def text_outline(text: str, weight: int) -> tuple[str, float] | None:
    """Outline of a line of text as SVG path data, and its width, in units of `PER_EM`.

    The origin is the left end of the baseline.

    Args:
        text: The line.
        weight: 400 or 600.

    Returns:
        None if the bundled fonts lack a character.
    """
    parts, x = [], 0.0
    files = fonts_of_weight(weight)
    for code in map(ord, text):
        file = next((each for each in files if code in font_table(each).glyphs), None)
        if file is None:
            return None
        (left, top), commands = _outline(file, code)
        if commands:
            parts.append(f"M{round(x) + left} {top}{commands}")
        x += font_table(file).advances[code] * PER_EM
    return "".join(parts), x


def fonts_of_weight(weight: int) -> tuple[str, str]:
    """Files of the font of a weight, and of the one for what it lacks."""
    return next(each.file for each in FONTS.values() if each.weight == weight), _CHINESE[weight]


@lru_cache(maxsize=4096)
def _outline(file: str, code: int) -> tuple[tuple[int, int], str]:
    """Where the outline of a character starts, and the rest of it as relative commands.

    So it holds wherever its start is moved; it is empty for a space.
    """
    table, pen = font_table(file), RecordingPen()
    table.font.getGlyphSet()[table.glyphs[code]].draw(pen)
    scale = PER_EM / table.font["head"].unitsPerEm
    commands: list[str] = []
    start: tuple[int, int] | None = None
    at = contour = (0, 0)
    for name, points in pen.value:
        if not points:
            commands.append("z")
            at = contour
            continue
        places = [(round(x * scale), round(-y * scale)) for x, y in points]
        moves = " ".join(f"{x - at[0]} {y - at[1]}" for x, y in places)
        at = places[-1]
        if name == "moveTo":
            contour = at
        if start is None:
            start = at
        else:
            commands.append(_COMMANDS[name] + moves.replace(" -", "-"))
    return start or (0, 0), "".join(commands)


@lru_cache(maxsize=8)
def font_table(file: str) -> FontTable:
    """Read a font of ``resources/fonts`` once."""
    return read_font(resource_path(f"fonts/{file}"))


def read_font(path: Path) -> FontTable:
    """Read a TrueType or OpenType file."""
    # From memory, since a lazy font would keep its file open.
    font = TTFont(io.BytesIO(path.read_bytes()), lazy=True)
    per_em, line, widths = font["head"].unitsPerEm, font["hhea"], font["hmtx"].metrics
    glyphs: dict[int, str] = font.getBestCmap()
    return FontTable(
        advances={code: widths[glyph][0] / per_em for code, glyph in glyphs.items()},
        missing=widths[font.getGlyphOrder()[0]][0] / per_em,
        height=(line.ascent - line.descent + line.lineGap) / per_em,
        glyphs=glyphs,
        font=font,
    )

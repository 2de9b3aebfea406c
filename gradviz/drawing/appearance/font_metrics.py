"""Text measurement from the bundled fonts' tables, for code without a window.

Only two tables of an OpenType file are needed: ``cmap`` (format 4: which glyph a character has)
and ``hmtx`` (how wide that glyph is). Kerning is ignored; it only makes text narrower.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from unicodedata import east_asian_width

from gradviz.drawing.appearance.text_styles import FONTS, Measure, TextStyle
from gradviz.resource import resource_path


@dataclass(frozen=True, slots=True)
class FontTable:
    """Character widths of a font, as fractions of its size.

    Attributes:
        advances: Width by code point of the Basic Multilingual Plane.
        missing: Width of the box for a missing character.
        height: Height of a line.
    """

    advances: dict[int, float]
    missing: float
    height: float

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
        table = _table(font.file)
        return table.width(text) * font.size, table.height * font.size

    return measure


@lru_cache(maxsize=8)
def _table(file: str) -> FontTable:
    return read_font(resource_path(f"fonts/{file}"))


def read_font(path: Path) -> FontTable:
    """Read the character widths of a TrueType or OpenType file.

    Raises:
        ValueError: If the file has no ``cmap`` of format 4.
    """
    data = path.read_bytes()
    number = struct.unpack_from(">H", data, 4)[0]
    records = (struct.unpack_from(">4sIII", data, 12 + 16 * each) for each in range(number))
    tables = {tag: offset for tag, _, offset, _ in records}
    per_em = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
    ascent, descent, gap = struct.unpack_from(">hhh", data, tables[b"hhea"] + 4)
    metrics = struct.unpack_from(">H", data, tables[b"hhea"] + 34)[0]

    def advance(glyph: int) -> float:
        # By specification, all glyphs after the last entry have its width, as in monospaced fonts.
        at = tables[b"hmtx"] + 4 * min(glyph, metrics - 1)
        return float(struct.unpack_from(">H", data, at)[0] / per_em)

    return FontTable(
        advances=_advances(data, tables[b"cmap"], advance),
        missing=advance(0),
        height=(ascent - descent + gap) / per_em,
    )


def _advances(data: bytes, cmap: int, advance: Callable[[int], float]) -> dict[int, float]:
    at = _format_4(data, cmap)
    count = struct.unpack_from(">H", data, at + 6)[0] // 2
    ends = struct.unpack_from(f">{count}H", data, at + 14)
    starts = struct.unpack_from(f">{count}H", data, at + 16 + 2 * count)
    deltas = struct.unpack_from(f">{count}H", data, at + 16 + 4 * count)
    offsets_at = at + 16 + 6 * count
    offsets = struct.unpack_from(f">{count}H", data, offsets_at)
    widths: dict[int, float] = {}
    for segment in range(count):
        # Every table ends with a segment for 0xFFFF, which is no character.
        for code in range(starts[segment], min(ends[segment], 0xFFFE) + 1):
            glyph = code + deltas[segment]
            if offsets[segment]:
                # By specification, this offset counts from its own position.
                place = offsets_at + 2 * segment + offsets[segment] + 2 * (code - starts[segment])
                listed = struct.unpack_from(">H", data, place)[0]
                glyph = listed + deltas[segment] if listed else 0
            if glyph & 0xFFFF:
                widths[code] = advance(glyph & 0xFFFF)
    return widths


def _format_4(data: bytes, cmap: int) -> int:
    count = struct.unpack_from(">H", data, cmap + 2)[0]
    for each in range(count):
        offset = struct.unpack_from(">HHI", data, cmap + 4 + 8 * each)[2]
        if struct.unpack_from(">H", data, cmap + offset)[0] == 4:
            return int(cmap + offset)
    raise ValueError("the font has no cmap of format 4")

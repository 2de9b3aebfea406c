"""Cuts Noto Sans CJK down to the characters of the Chinese texts, for systems without such a font.

Needs Debian's package fonts-noto-cjk. Run this after changing the Chinese texts.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont
from PySide6.QtCore import QLibraryInfo

from gradviz.drawing.appearance.font_metrics import read_font

RESOURCES = Path(__file__).resolve().parents[1] / "resources"
SOURCES = Path("/usr/share/fonts/opentype/noto")
SOURCE_FAMILY = "Noto Sans CJK SC"
FAMILY = "Noto Sans SC Subset"
WEIGHTS = ("Regular", "Bold")

_MAGIC, _MESSAGES = 16, 0x69
_END, _TRANSLATION, _OBSOLETE, _NO_TEXT = 1, 3, 5, 0xFFFFFFFF


def missing_characters() -> set[str]:
    """Characters of the Chinese texts that the other fonts of the resources lack."""
    paths = [*(RESOURCES / "guide" / "zh").glob("*.md")]
    paths += (RESOURCES / "lessons" / "zh").iterdir()
    paths += (RESOURCES / "translations").glob("*_zh.[jt]s*")
    wanted = set("".join(path.read_text("utf-8") for path in paths))
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    wanted |= set("".join(translations_of((folder / "qtbase_zh_CN.qm").read_bytes())))
    known = read_font(RESOURCES / "fonts" / "Inter-Regular.otf").advances
    return {each for each in wanted if each.isprintable() and ord(each) not in known}


def translations_of(data: bytes) -> Iterator[str]:
    """The translations in a compiled file of Qt, such as the names of keys.

    Source: Qt's ``qtranslator.cpp``.
    """
    at, end = _MAGIC, len(data)
    while at < end:
        tag, length = struct.unpack_from(">BI", data, at)
        at += 5
        if tag != _MESSAGES:
            at += length
        else:
            end = at + length
            break
    while at < end:
        tag = data[at]
        at += 1
        if tag == _END:
            continue
        (length,) = struct.unpack_from(">I", data, at)
        at += 4
        if tag == _TRANSLATION and length != _NO_TEXT:
            yield data[at : at + length].decode("utf-16-be")
        if tag != _OBSOLETE and length != _NO_TEXT:
            at += length


def cut(weight: str, characters: set[str]) -> TTFont:
    """The font of one weight with only some characters, under another name."""
    collection = TTCollection(SOURCES / f"NotoSansCJK-{weight}.ttc")
    font = next(each for each in collection if each["name"].getBestFamilyName() == SOURCE_FAMILY)
    options = Options(hinting=False, layout_features=[], notdef_outline=True, name_IDs=[0, 13, 14])
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(sorted(characters)))
    subsetter.subset(font)
    full = FAMILY if weight == "Regular" else f"{FAMILY} {weight}"
    names = {1: FAMILY, 2: weight, 3: full, 4: full, 6: full.replace(" ", "")}
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    return font


def main() -> int:
    """Writes a font file for each weight and returns the exit code."""
    for weight in WEIGHTS:
        cut(weight, missing_characters()).save(RESOURCES / "fonts" / f"NotoSansSC-{weight}.otf")
    return 0


if __name__ == "__main__":
    sys.exit(main())

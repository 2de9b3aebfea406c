"""Fonts of the graph's text styles, and text measurement in them."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFont, QFontMetricsF, QGuiApplication

from gradviz.drawing.style import FONTS, TextStyle
from gradviz.viewer.look.theme import load_fonts, ui_family


@cache
def font_of(style: TextStyle) -> QFont:
    """Font of a style; one point of the picture is one pixel at 100 %."""
    wanted = FONTS[style]
    font = QFont(wanted.family if wanted.family in load_fonts() else ui_family())
    # In points, because Qt accepts only whole pixel sizes and half pixels are needed.
    font.setPointSizeF(wanted.size * 72 / QGuiApplication.primaryScreen().logicalDotsPerInchY())
    font.setWeight(QFont.Weight(wanted.weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


@cache
def metrics_of(style: TextStyle) -> QFontMetricsF:
    """Font metrics of a style."""
    return QFontMetricsF(font_of(style))


def measure(text: str, style: TextStyle) -> tuple[float, float]:
    """Width and height of one line, for `gradviz.drawing`; GUI thread only."""
    metrics = metrics_of(style)
    return metrics.horizontalAdvance(text), metrics.height()

"""Fonts of the graph's text styles, and text measurement in them."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QStaticText, QTextLayout

from gradviz.drawing.appearance.text_styles import FONTS, TextStyle
from gradviz.viewer.theme.theme import cached_font, load_fonts, ui_family

MOST_TEXTS = 20_000

_LARGE = 60.0
"""Height in pixels from which a line is filled as a path that is kept.

From 64 on, Qt makes a path in each frame, whose edges depend on what was last drawn in the font.
"""


class TextCache:
    """Draws lines of plain text in one style."""

    def __init__(self, style: TextStyle) -> None:
        self._font = font_of(style)
        self._texts: dict[str, tuple[QStaticText, float]] = {}
        self._outlines: dict[str, QPainterPath] = {}
        self._is_large = False

    def begin(self, painter: QPainter) -> None:
        """Set the painter's font, once for many lines at the same scale."""
        painter.setFont(self._font)
        self._is_large = self._font.pixelSize() * painter.deviceTransform().m11() >= _LARGE

    def draw(self, painter: QPainter, x: float, baseline: float, text: str) -> None:
        """Draw a line that starts at ``x``."""
        if self._is_large:
            outline = self._outlines.get(text)
            if outline is None:
                outline = self._outlined(text)
            painter.fillPath(outline.translated(x, baseline), painter.pen().brush())
            return
        prepared = self._texts.get(text)
        if prepared is None:
            # Labels change with the step, so the cache would grow as long as the graph is open.
            if len(self._texts) >= MOST_TEXTS:
                self._texts.clear()
            prepared = self._texts[text] = self._prepare(text)
        line, ascent = prepared
        painter.drawStaticText(QPointF(x, baseline - ascent), line)

    def _outlined(self, text: str) -> QPainterPath:
        if len(self._outlines) >= MOST_TEXTS:
            self._outlines.clear()
        outline = self._outlines[text] = QPainterPath()
        outline.setFillRule(Qt.FillRule.WindingFill)
        outline.addText(0.0, 0.0, self._font, text)
        return outline

    def _prepare(self, text: str) -> tuple[QStaticText, float]:
        """A text laid out for painting, and its ascent."""
        # `drawText` lays the text out again in each frame and takes two to three times as long.
        prepared = QStaticText(text)
        # By default Qt guesses, and would take a name such as `<b>` for HTML.
        prepared.setTextFormat(Qt.TextFormat.PlainText)
        prepared.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        return prepared, self._ascent_of(text)

    def _ascent_of(self, text: str) -> float:
        # Characters that come from another font, such as Chinese ones, may be higher.
        layout = QTextLayout(text, self._font)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        return line.ascent()


@cache
def font_of(style: TextStyle) -> QFont:
    """Font of a style; one point of the picture is one pixel at 100%."""
    wanted = FONTS[style]
    family = wanted.family if wanted.family in load_fonts() else ui_family()
    font = QFont(cached_font(family, wanted.size, wanted.weight))
    # As stories and exports measure them; digits of equal width would reach into what is beside.
    font.setFeature(QFont.Tag("tnum"), 0)
    return font


@cache
def metrics_of(style: TextStyle) -> QFontMetricsF:
    """Font metrics of a style."""
    return QFontMetricsF(font_of(style))


def measure(text: str, style: TextStyle) -> tuple[float, float]:
    """Width and height of one line, for `gradviz.drawing`; GUI thread only."""
    metrics = metrics_of(style)
    return metrics.horizontalAdvance(text), metrics.height()

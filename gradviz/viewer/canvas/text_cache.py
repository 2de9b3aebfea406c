"""A cache of laid-out text for each distinct string, since many nodes share their names."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QStaticText

from gradviz.drawing.style import TextStyle
from gradviz.viewer.canvas.type import font_of, metrics_of

MOST_TEXTS = 20_000


class TextCache:
    """Draws lines of plain text in one style."""

    def __init__(self, style: TextStyle) -> None:
        self._font = font_of(style)
        self._ascent = metrics_of(style).ascent()
        self._texts: dict[str, QStaticText] = {}

    def begin(self, painter: QPainter) -> None:
        """Set the painter's font, once for many lines."""
        painter.setFont(self._font)

    def draw(self, painter: QPainter, x: float, baseline: float, text: str) -> None:
        """Draw a line that starts at ``x``."""
        prepared = self._texts.get(text)
        if prepared is None:
            if len(self._texts) >= MOST_TEXTS:
                self._texts.clear()
            prepared = self._texts[text] = self._prepare(text)
        painter.drawStaticText(QPointF(x, baseline - self._ascent), prepared)

    def _prepare(self, text: str) -> QStaticText:
        prepared = QStaticText(text)
        prepared.setTextFormat(Qt.TextFormat.PlainText)
        prepared.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        return prepared

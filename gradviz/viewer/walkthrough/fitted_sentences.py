"""As many sentences as fit, in the largest font in which they do."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.text.punctuation import join_sentences
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.fitted_text import broken_lines

_BETWEEN = 0.4
"""Space between two sentences, as a fraction of a line."""


class FittedSentences(QWidget):
    """Sentences below each other; leaves out the last ones rather than cutting one.

    Args:
        theme: Colors and fonts.
        pixels: Preferred font size.
        least: Minimum font size.
        parent: The Qt parent.
    """

    def __init__(
        self, theme: Theme, *, pixels: int, least: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sizes = range(pixels, least - 1, -1)
        self._sentences: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences."""
        return self._sentences

    @property
    def shown(self) -> tuple[str, ...]:
        """The sentences that fit."""
        return self._sentences[: len(self._laid()[0])]

    @property
    def pixels(self) -> int:
        """The current font size, in pixels."""
        return self._laid()[1].pixelSize()

    def show_sentences(self, sentences: tuple[str, ...]) -> None:
        """Replace the sentences; the most important ones come first."""
        self._sentences = sentences
        self.setAccessibleName(join_sentences(sentences))
        self.update()

    def _laid(self) -> tuple[list[tuple[str, ...]], QFont]:
        """Lines of each sentence that fits, and their font."""
        # A smaller font for more sentences only down to the middle of the range.
        middle = self._sizes[len(self._sizes) // 2]
        for count in range(len(self._sentences), 1, -1):
            found = self._fitting(count, middle)
            if found is not None:
                return found
        smallest = self._sizes[-1]
        found = self._fitting(1, smallest)
        if found is not None:
            return found
        font = self._theme.font(smallest)
        first = self._sentences[:1]
        return [broken_lines(each, font, self.width()) for each in first], font

    def _fitting(self, count: int, least: int) -> tuple[list[tuple[str, ...]], QFont] | None:
        for pixels in range(self._sizes[0], least - 1, -1):
            font = self._theme.font(pixels)
            lines = [broken_lines(each, font, self.width()) for each in self._sentences[:count]]
            total = sum(map(len, lines)) + _BETWEEN * (count - 1)
            if total * QFontMetricsF(font).height() <= self.height():
                return lines, font
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the sentences from the top."""
        sentences, font = self._laid()
        metrics = QFontMetricsF(font)
        painter = QPainter(self)
        painter.setFont(font)
        painter.setPen(self._theme.color("text"))
        top = 0.0
        for lines in sentences:
            for line in lines:
                painter.drawText(QPointF(0, top + metrics.ascent()), line.rstrip())
                top += metrics.height()
            top += _BETWEEN * metrics.height()
        painter.end()

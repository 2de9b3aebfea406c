"""The position inside the current node: a few words at the lower edge of its card."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.style import BASELINE
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.canvas.type import measure
from gradviz.viewer.look.theme import Theme

HEIGHT, PAD = 16.0, 6.0
INSET, LOWERED = 8.0, 8.0
"""Distance of the text from the card's right edge, and its overhang below the card."""

SIGN = 24.0
"""Space left free for the letter of shared memory."""

_CUT = "…"


class PlaceLayer(Layer):
    """A position mark on one card, or on none."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=HEIGHT)
        self._card: int | None = None
        self._text = ""
        self._cache = TextCache("mark")
        self.set_theme(theme)

    @property
    def word(self) -> tuple[int, str] | None:
        """The marked card and its text, or None."""
        return None if self._card is None else (self._card, self._text)

    def show_place(self, card: int | None, words: tuple[str, ...] = ()) -> None:
        """Move the mark to another card.

        Args:
            card: Index of the card, or None.
            words: Path to the position, outermost first; only the last words that fit are shown.
        """
        self._card = card
        self._text = "" if card is None else self._fitting(card, words)
        self.update()

    def _fitting(self, card: int, words: tuple[str, ...]) -> str:
        room = float(self._boxes[card][2]) - 2 * INSET - 2 * PAD - SIGN
        texts = [" · ".join(words[at:]) for at in range(len(words))]
        text = next((each for each in texts if measure(each, "mark")[0] <= room), texts[-1])
        while len(text) > 2 and measure(text, "mark")[0] > room:
            text = text.removesuffix(_CUT)[:-1] + _CUT
        return text

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._ink = theme.colour("status_now")
        self._ground = theme.colour("panel")
        self.update()

    def rect(self) -> QRectF:
        """Rectangle of the mark; empty if there is none."""
        if self._card is None:
            return QRectF()
        x, y, width, height = self._boxes[self._card].tolist()
        own = measure(self._text, "mark")[0] + 2 * PAD
        return QRectF(x + width - INSET - own, y + height - HEIGHT + LOWERED, own, HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the mark if the scale makes it readable."""
        if self._card is None or self.scale_of(painter) < TEXT_FROM:
            return
        rect = self.rect()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._ink, 1.4))
        painter.setBrush(self._ground)
        painter.drawRoundedRect(rect, HEIGHT / 2, HEIGHT / 2)
        height = measure(self._text, "mark")[1]
        self._cache.begin(painter)
        baseline = rect.center().y() + (BASELINE - 0.5) * height
        self._cache.draw(painter, rect.left() + PAD, baseline, self._text)

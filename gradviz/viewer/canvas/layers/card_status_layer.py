"""The position inside the current node: a few words at the lower edge of its card."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.text_styles import BASELINE
from gradviz.viewer.canvas.layers.card_painter import card_style_of
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme


class GroupProgressLayer(GraphLayer):
    """Draws a line of text in the card of each closed group."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        self._cards = [
            at for at, face in enumerate(picture.faces) if face.group_progress is not None
        ]
        super().__init__(picture.boxes[np.array(self._cards, dtype=np.int64)], margin=0.0)
        self._rooms = [picture.faces[at].group_progress for at in self._cards]
        self._texts: dict[int, str] = {}
        self._dimmed = [False] * len(picture.nodes)
        self._cache = TextCache("line")
        self._theme = theme

    @property
    def texts(self) -> dict[int, str]:
        """Text of each card by its index."""
        return self._texts

    def set_texts(self, texts: dict[int, str]) -> None:
        """Replace the texts, by card index."""
        self._texts = texts
        self.update()

    def set_dimmed(self, dimmed: list[bool]) -> None:
        """Dim the texts of some cards."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible texts."""
        if self.scale_of(painter) < TEXT_FROM:
            return
        self._cache.begin(painter)
        for at in self.seen(option):
            space, text = self._rooms[at], self._texts.get(self._cards[at], "")
            if space is not None and text:
                x, y = self._boxes[at][:2].tolist()
                pale = self._dimmed[self._cards[at]]
                painter.setPen(card_style_of(self._theme, "folded", dimmed=pale).text)
                self._cache.draw(painter, x + space.x, y + space.baseline, text)


HEIGHT, PAD = 16.0, 6.0
INSET, LOWERED, BRIEF_LOWERED = 8.0, 8.0, 5.0
"""Distance of the text from the card's right edge, and its overhang below the card."""

SIGN = 24.0
"""Space left free for the letter of shared memory."""

_CUT = "…"


class LocationLayer(GraphLayer):
    """A position mark on one card, or on none."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=HEIGHT)
        # Lines are close to brief cards; those of custom Functions have room for the mark instead.
        self._brief = picture.detail.brief
        self._lowered = BRIEF_LOWERED if self._brief else LOWERED
        self._kinds = [node.kind for node in picture.nodes]
        self._card: int | None = None
        self._text = ""
        self._cache = TextCache("mark")
        self._theme = theme

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
        if card is not None and self._brief and self._kinds[card] != "custom":
            card = None
        self._card = card
        self._text = "" if card is None else self._fitting(card, words)
        self.update()

    def _fitting(self, card: int, words: tuple[str, ...]) -> str:
        space = float(self._boxes[card][2]) - 2 * PAD
        if not self._brief:
            space -= 2 * INSET + SIGN
        texts = [" · ".join(words[at:]) for at in range(len(words))]
        text = next((each for each in texts if measure(each, "mark")[0] <= space), texts[-1])
        while len(text) > 2 and measure(text, "mark")[0] > space:
            text = text.removesuffix(_CUT)[:-1] + _CUT
        return text

    def rect(self) -> QRectF:
        """Rectangle of the mark; empty if there is none."""
        if self._card is None:
            return QRectF()
        x, y, width, height = self._boxes[self._card].tolist()
        own = measure(self._text, "mark")[0] + 2 * PAD
        inset = min(INSET, (width - own) / 2)
        return QRectF(x + width - inset - own, y + height - HEIGHT + self._lowered, own, HEIGHT)

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
        painter.setPen(QPen(self._theme.color("status_now"), 1.4))
        painter.setBrush(self._theme.color("panel"))
        painter.drawRoundedRect(rect, HEIGHT / 2, HEIGHT / 2)
        height = measure(self._text, "mark")[1]
        self._cache.begin(painter)
        baseline = rect.center().y() + (BASELINE - 0.5) * height
        self._cache.draw(painter, rect.left() + PAD, baseline, self._text)

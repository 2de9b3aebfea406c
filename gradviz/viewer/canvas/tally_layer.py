"""The progress line on cards of closed groups: how many of their nodes are done."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.canvas.card_paint import look_of
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.look.theme import Theme


class TallyLayer(Layer):
    """Draws a line of text in the card of each closed group."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        self._cards = [at for at, face in enumerate(picture.faces) if face.tally is not None]
        super().__init__(picture.boxes[np.array(self._cards, dtype=np.int64)], margin=0.0)
        self._rooms = [picture.faces[at].tally for at in self._cards]
        self._texts: dict[int, str] = {}
        self._dimmed = [False] * len(picture.nodes)
        self._cache = TextCache("line")
        self.set_theme(theme)

    @property
    def texts(self) -> dict[int, str]:
        """Text of each card by its index."""
        return self._texts

    def set_texts(self, texts: dict[int, str]) -> None:
        """Replace the texts, by card index."""
        self._texts = texts
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._inks = {pale: look_of(theme, "folded", dimmed=pale).text for pale in (False, True)}
        self.update()

    def set_dimmed(self, dimmed: list[bool]) -> None:
        """Dim the texts of some cards."""
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
            room, text = self._rooms[at], self._texts.get(self._cards[at], "")
            if room is not None and text:
                x, y = self._boxes[at][:2].tolist()
                painter.setPen(self._inks[self._dimmed[self._cards[at]]])
                self._cache.draw(painter, x + room.x, y + room.baseline, text)

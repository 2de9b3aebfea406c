"""Letters of shared memory, at the lower left corner of each card with such tensors."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.text_styles import BASELINE
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

HEIGHT, PAD = 15.0, 5.0
INSET, LOWERED = 8.0, 8.0
"""Distance of the mark from the card's left edge, and its overhang below the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSign:
    """Memory that the tensors of a card share with others.

    Attributes:
        text: Letters of the memory.
        storages: Numbers of the storages.
        tip: Sentences on which tensors share it.
    """

    text: str
    storages: frozenset[int]
    tip: str


class StorageLayer(GraphLayer):
    """Marks with the same letters as in the inspector, so that views and aliases are visible."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=HEIGHT)
        self._round = {at for at, drawn in enumerate(picture.nodes) if drawn.kind == "output"}
        self._brief = picture.detail.brief
        self._signs: dict[int, StorageSign] = {}
        self._highlighted: int | None = None
        self._caches = {is_highlighted: TextCache("mark") for is_highlighted in (False, True)}
        self._theme = theme

    @property
    def signs(self) -> dict[int, StorageSign]:
        """Mark of each card by its index."""
        return self._signs

    @property
    def highlighted_cards(self) -> frozenset[int]:
        """Cards whose mark is highlighted."""
        return frozenset(
            card for card, sign in self._signs.items() if self._highlighted in sign.storages
        )

    def set_signs(self, signs: dict[int, StorageSign]) -> None:
        """Replace all marks."""
        # Brief cards have no room for marks.
        signs = {} if self._brief else signs
        if signs != self._signs:
            self._signs = signs
            self.update()

    def highlight(self, storage: int | None) -> None:
        """Highlight the marks of one storage, or of none."""
        if storage != self._highlighted:
            self._highlighted = storage
            self.update()

    def rect(self, card: int) -> QRectF:
        """Rectangle of a card's mark."""
        x, y, _, height = self._boxes[card].tolist()
        width = max(HEIGHT, measure(self._signs[card].text, "mark")[0] + 2 * PAD)
        # On a card with round ends the text is closer to the lower corners.
        lowered = LOWERED + 2 if card in self._round else LOWERED
        return QRectF(x + INSET, y + height - HEIGHT + lowered, width, HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible marks, unless the scale makes them unreadable."""
        if not self._signs or self.scale_of(painter) < TEXT_FROM:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = set(self.seen(option))
        # Highlighted marks come last, above the others.
        for is_highlighted, cache in self._caches.items():
            cache.begin(painter)
            for card, sign in self._signs.items():
                if card in seen and (self._highlighted in sign.storages) == is_highlighted:
                    paint_storage(
                        painter,
                        self._theme,
                        self.rect(card),
                        sign.text,
                        cache,
                        is_highlighted=is_highlighted,
                    )


def paint_storage(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    text: str,
    cache: TextCache,
    *,
    is_highlighted: bool,
) -> None:
    """Paint one mark; call the cache's ``begin`` first to set the font."""
    painter.setPen(
        QPen(
            theme.color("focus" if is_highlighted else "border_strong"), 2 if is_highlighted else 1
        )
    )
    painter.setBrush(theme.color("accent_soft" if is_highlighted else "raised"))
    painter.drawRoundedRect(rect, HEIGHT / 2, HEIGHT / 2)
    width, height = measure(text, "mark")
    painter.setPen(theme.color("accent" if is_highlighted else "text_muted"))
    baseline = rect.center().y() + (BASELINE - 0.5) * height
    cache.draw(painter, rect.center().x() - width / 2, baseline, text)

"""Orders of derivatives at the upper left corners of cards that have no frame to name them."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.analysis.index.derivative_orders import short_order_text
from gradviz.drawing.appearance.text_styles import BASELINE
from gradviz.drawing.geometry.box_geometry import has_order_mark, order_mark_width
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

HEIGHT, CORNER = 11.0, 3.0
INSET, RAISED = 4.0, 4.5
"""Distance of the mark from the card's left edge, and its overhang above the card."""


class OrderLayer(GraphLayer):
    """Marks like ``2nd`` on the nodes that a backward pass created."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=HEIGHT)
        self._orders = {
            at: drawn.order
            for at, drawn in enumerate(picture.nodes)
            if has_order_mark(drawn, picture.detail)
        }
        self.words = {at: short_order_text(order) for at, order in self._orders.items()}
        self._cache = TextCache("mark")
        self._theme = theme

    def rect(self, card: int) -> QRectF:
        """Rectangle of a card's mark."""
        x, y, _, _ = self._boxes[card].tolist()
        width = order_mark_width(self._orders[card], measure)
        return QRectF(x + INSET, y - RAISED, width, HEIGHT)

    def right(self, card: int) -> float | None:
        """Right end of a card's mark; None if it has none."""
        return self.rect(card).right() if card in self._orders else None

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible marks, unless the scale makes them unreadable."""
        if not self.words or self.scale_of(painter) < TEXT_FROM:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._cache.begin(painter)
        for card in self.seen(option):
            if card in self.words:
                paint_order(painter, self._theme, self.rect(card), self.words[card], self._cache)


def paint_order(painter: QPainter, theme: Theme, rect: QRectF, text: str, cache: TextCache) -> None:
    """Paint one mark; call the cache's ``begin`` first to set the font."""
    painter.setPen(QPen(theme.color("frame_text"), 1.0))
    painter.setBrush(theme.color("frame_fill"))
    painter.drawRoundedRect(rect, CORNER, CORNER)
    width, height = measure(text, "mark")
    baseline = rect.center().y() + (BASELINE - 0.5) * height
    cache.draw(painter, rect.center().x() - width / 2, baseline, text)

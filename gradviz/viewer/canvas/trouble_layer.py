"""The marks of what went wrong, at the upper left corners of cards: a sign and a word."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.style import BASELINE
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.canvas.type import measure
from gradviz.viewer.look.theme import Theme

HEIGHT, SIGN, PAD = 16.0, 9.0, 5.0
INSET, RAISED = 8.0, 11.0
"""From the card's left edge, and how far the mark stands out above it."""

FAR, MOST_FAR = 12.0, 60.0
"""Side of the sign alone where no text is drawn, in pixels, and at most in scene units."""


class TroubleLayer(Layer):
    """A mark on each card that stands for a node with trouble."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=MOST_FAR)
        self._words = {at: node.problem for at, node in enumerate(picture.nodes) if node.problem}
        self._cache = TextCache("mark")
        self.set_theme(theme)

    @property
    def words(self) -> dict[int, str]:
        """What is written at which card."""
        return self._words

    def set_words(self, words: dict[int, str]) -> None:
        """Marks other cards."""
        self._words = words
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._ink = theme.colour("error")
        self._ground = theme.colour("error_fill")
        self.update()

    def rect(self, card: int) -> QRectF:
        """Where the mark of a card is."""
        x, y = self._boxes[card][:2].tolist()
        width = measure(self._words[card], "mark")[0] + SIGN + 3 * PAD
        return QRectF(x + INSET, y - RAISED, width, HEIGHT)

    def _paint_near(self, painter: QPainter, card: int) -> None:
        rect = self.rect(card)
        painter.setPen(QPen(self._ink, 1.2))
        painter.setBrush(self._ground)
        painter.drawRoundedRect(rect, HEIGHT / 2, HEIGHT / 2)
        middle = QPointF(rect.left() + PAD + SIGN / 2, rect.center().y())
        paint_trouble_sign(painter, middle, SIGN, self._ink, self._ground)
        painter.setPen(self._ink)
        height = measure(self._words[card], "mark")[1]
        baseline = rect.center().y() + (BASELINE - 0.5) * height
        self._cache.draw(painter, rect.left() + 2 * PAD + SIGN, baseline, self._words[card])

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws the marks; they are few, and seen from afar too."""
        if not self._words:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = self.scale_of(painter)
        self._cache.begin(painter)
        for card in self._words:
            if scale >= TEXT_FROM:
                self._paint_near(painter, card)
            else:
                x, y = self._boxes[card][:2].tolist()
                side = min(FAR / scale, MOST_FAR)
                paint_trouble_sign(painter, QPointF(x, y), side, self._ink, self._ground)


def paint_trouble_sign(
    painter: QPainter, middle: QPointF, side: float, ink: QColor, ground: QColor
) -> None:
    """A filled triangle with a stroke and a dot in it."""
    x, y, half = middle.x(), middle.y(), side / 2
    corners = [QPointF(x, y - half), QPointF(x + half, y + half), QPointF(x - half, y + half)]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(QPolygonF(corners))
    painter.setPen(QPen(ground, side * 0.13))
    painter.drawLine(QLineF(x, y - side * 0.16, x, y + side * 0.16))
    painter.drawPoint(QPointF(x, y + side * 0.34))

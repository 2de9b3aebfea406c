"""Marks differences from the compared run: a sign and a word on cards, a sign on lines."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.text_styles import BASELINE
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

HEIGHT, SIGN, PAD = 16.0, 8.0, 5.0
INSET, LOWERED = 8.0, 11.0
"""Distance of the mark from the card's right edge, and its overhang below the card."""

FAR, MOST_FAR = 12.0, 60.0
"""Size of the sign when zoomed out: in pixels, and its maximum in scene units."""


class DifferenceLayer(GraphLayer):
    """Marks at the lower right corner of each differing card, and on each differing line."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=MOST_FAR)
        self._curves = picture.curves
        self._words: dict[int, str] = {}
        self._lines: tuple[int, ...] = ()
        self._cache = TextCache("mark")
        self._theme = theme

    @property
    def words(self) -> dict[int, str]:
        """Text of each mark by card index."""
        return self._words

    @property
    def lines(self) -> tuple[int, ...]:
        """Indices of the marked lines."""
        return self._lines

    def set_marks(self, words: dict[int, str], lines: tuple[int, ...]) -> None:
        """Replace all marks."""
        self._words, self._lines = words, lines
        self.update()

    def rect(self, card: int) -> QRectF:
        """Rectangle of a card's mark."""
        x, y, width, height = self._boxes[card].tolist()
        own = measure(self._words[card], "mark")[0] + SIGN + 3 * PAD
        return QRectF(x + width - INSET - own, y + height - HEIGHT + LOWERED, own, HEIGHT)

    def _paint_near(self, painter: QPainter, card: int) -> None:
        rect = self.rect(card)
        self._paint_ground(painter, rect)
        self._paint_sign(painter, QPointF(rect.left() + PAD + SIGN / 2, rect.center().y()), SIGN)
        height = measure(self._words[card], "mark")[1]
        baseline = rect.center().y() + (BASELINE - 0.5) * height
        self._cache.draw(painter, rect.left() + 2 * PAD + SIGN, baseline, self._words[card])

    def _paint_ground(self, painter: QPainter, rect: QRectF) -> None:
        painter.setPen(QPen(self._theme.color("warning"), 1.2))
        painter.setBrush(self._theme.color("warning_fill"))
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)

    def _paint_sign(self, painter: QPainter, middle: QPointF, side: float) -> None:
        """Paint a not-equal sign."""
        x, y, half = middle.x(), middle.y(), side / 2
        painter.setPen(QPen(self._theme.color("warning"), side * 0.17, c=Qt.PenCapStyle.RoundCap))
        for up in (-0.2, 0.2):
            painter.drawLine(QLineF(x - half, y + up * side, x + half, y + up * side))
        painter.drawLine(QLineF(x - 0.25 * side, y + half, x + 0.25 * side, y - half))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw all marks, at every scale."""
        if not self._words and not self._lines:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = self.scale_of(painter)
        side = HEIGHT if scale >= TEXT_FROM else min(FAR / scale, MOST_FAR)
        self._cache.begin(painter)
        for line in self._lines:
            self._paint_badge(painter, self._middle_of(line), side)
        for card in self._words:
            if scale >= TEXT_FROM:
                self._paint_near(painter, card)
            else:
                x, y, width, height = self._boxes[card].tolist()
                self._paint_badge(painter, QPointF(x + width, y + height), side)

    def _paint_badge(self, painter: QPainter, middle: QPointF, side: float) -> None:
        left, top = middle.x() - side / 2, middle.y() - side / 2
        self._paint_ground(painter, QRectF(left, top, side, side))
        self._paint_sign(painter, middle, side / 2)

    def _middle_of(self, line: int) -> QPointF:
        """Return a point on a line, clear of its label and near the gradient's source."""
        points = self._curves[line].points
        start, first, second, end = points[:4]
        # Only the first segment counts, and it is a smaller part of a line with several.
        at = 0.3 if len(points) == 4 else 0.6
        rest = 1 - at
        x, y = (
            rest**3 * start + 3 * rest**2 * at * first + 3 * rest * at**2 * second + at**3 * end
        ).tolist()
        return QPointF(x, y)

"""Problem marks at the upper left corners of cards: a sign and a word."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.text_styles import BASELINE
from gradviz.drawing.content.node_problems import problem_colors
from gradviz.drawing.geometry.box_geometry import ORDER_GAP
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layers.order_layer import OrderLayer
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

HEIGHT, SIGN, PAD = 16.0, 9.0, 5.0
INSET, RAISED, BRIEF_RAISED = 8.0, 11.0, 5.0
"""Distance of the mark from the card's left edge, and its overhang above the card."""

FAR, MOST_FAR = 12.0, 60.0
"""Size of the sign when zoomed out: in pixels, and its maximum in scene units."""


class ProblemLayer(GraphLayer):
    """Marks on the cards of nodes with problems."""

    def __init__(self, picture: GraphPicture, orders: OrderLayer, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=MOST_FAR)
        self._orders = orders
        self._words = {at: node.problem for at, node in enumerate(picture.nodes) if node.problem}
        # Lines are close to brief cards, which have room for the mark instead.
        self._raised = BRIEF_RAISED if picture.detail.brief else RAISED
        self._cache = TextCache("mark")
        self._theme = theme

    @property
    def words(self) -> dict[int, str]:
        """Text of each mark by card index."""
        return self._words

    def set_words(self, words: dict[int, str]) -> None:
        """Replace all marks."""
        self._words = words
        self.update()

    def rect(self, card: int) -> QRectF:
        """Rectangle of a card's mark, beside that of its order."""
        x, y = self._boxes[card][:2].tolist()
        ordered = self._orders.right(card)
        left = x + INSET if ordered is None else ordered + ORDER_GAP
        width = measure(self._words[card], "mark")[0] + SIGN + 3 * PAD
        return QRectF(left, y - self._raised, width, HEIGHT)

    def _paint_near(self, painter: QPainter, card: int, ink: QColor, ground: QColor) -> None:
        rect = self.rect(card)
        painter.setPen(QPen(ink, 1.2))
        painter.setBrush(ground)
        painter.drawRoundedRect(rect, HEIGHT / 2, HEIGHT / 2)
        middle = QPointF(rect.left() + PAD + SIGN / 2, rect.center().y())
        # The triangle and the word tell what the color alone must not.
        paint_problem_sign(painter, middle, SIGN, ink, ground)
        painter.setPen(ink)
        height = measure(self._words[card], "mark")[1]
        baseline = rect.center().y() + (BASELINE - 0.5) * height
        self._cache.draw(painter, rect.left() + 2 * PAD + SIGN, baseline, self._words[card])

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw all marks, at every scale; there are few."""
        if not self._words:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = self.scale_of(painter)
        self._cache.begin(painter)
        for card, words in self._words.items():
            ink, ground = (self._theme.color(role) for role in problem_colors(words))
            if scale >= TEXT_FROM:
                self._paint_near(painter, card, ink, ground)
            else:
                x, y = self._boxes[card][:2].tolist()
                side = min(FAR / scale, MOST_FAR)
                paint_problem_sign(painter, QPointF(x, y), side, ink, ground)


def paint_problem_sign(
    painter: QPainter, middle: QPointF, side: float, ink: QColor, ground: QColor
) -> None:
    """Paint a warning triangle with an exclamation mark."""
    x, y, half = middle.x(), middle.y(), side / 2
    corners = [QPointF(x, y - half), QPointF(x + half, y + half), QPointF(x - half, y + half)]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(QPolygonF(corners))
    painter.setPen(QPen(ground, side * 0.13))
    painter.drawLine(QLineF(x, y - side * 0.16, x, y + side * 0.16))
    painter.drawPoint(QPointF(x, y + side * 0.34))

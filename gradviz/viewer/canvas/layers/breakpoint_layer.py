"""Breakpoint marks: a disc at the left edge of a card, a ring if it is disabled."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.canvas.layers.layer import GraphLayer
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

RADIUS = 5.5
OUT = 2.0
"""Distance of the disc's center outside the card, to keep the disc off the text."""

_FAR, _MOST_FAR = 3.5, 24.0
"""Minimum radius in pixels, limited in scene units, so that it stays visible zoomed out."""


class BreakpointLayer(GraphLayer):
    """Marks on the cards whose nodes have a breakpoint."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=_MOST_FAR + OUT)
        self._points: dict[int, bool] = {}
        self._theme = theme

    @property
    def points(self) -> dict[int, bool]:
        """Whether the breakpoint is enabled, by index of each marked card."""
        return self._points

    def set_points(self, points: dict[int, bool]) -> None:
        """Replace all marks."""
        if points != self._points:
            self._points = points
            self.update()

    def rect(self, card: int) -> QRectF:
        """Rectangle of a card's mark at 100%."""
        middle = self._middle(card)
        return QRectF(middle.x() - RADIUS, middle.y() - RADIUS, 2 * RADIUS, 2 * RADIUS)

    def _middle(self, card: int) -> QPointF:
        x, y, _, height = self._boxes[card].tolist()
        return QPointF(x - OUT, y + height / 2)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw all marks; there are few, so no culling is needed."""
        if not self._points:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink, ground = self._theme.color("breakpoint"), self._theme.color("canvas")
        radius = max(RADIUS, min(_FAR / self.scale_of(painter), _MOST_FAR))
        for card, enabled in self._points.items():
            middle = self._middle(card)
            paint_breakpoint(painter, middle, radius, ink, ground, enabled=enabled)


def paint_breakpoint(
    painter: QPainter,
    middle: QPointF,
    radius: float,
    ink: QColor,
    ground: QColor,
    *,
    enabled: bool,
) -> None:
    """Paint a disc with an outline in the background color; a ring if disabled."""
    painter.setPen(QPen(ground, radius * 0.35))
    painter.setBrush(ink)
    painter.drawEllipse(middle, radius, radius)
    if not enabled:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(middle, radius * 0.5, radius * 0.5)

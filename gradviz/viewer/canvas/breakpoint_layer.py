"""The marks of breakpoints: a disc at the left edge of a card, a ring where it is switched off."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.canvas.layer import Layer
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.look.theme import Theme

RADIUS = 5.5
OUT = 2.0
"""How far the disc's middle is from the card's edge: text begins further in than it reaches."""

_FAR, _MOST_FAR = 3.5, 24.0
"""Least radius in pixels, and the greatest in scene units: one looks for it from afar too."""


class BreakpointLayer(Layer):
    """A mark on each card that stands for a node with a breakpoint."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=_MOST_FAR + OUT)
        self._points: dict[int, bool] = {}
        self.set_theme(theme)

    @property
    def points(self) -> dict[int, bool]:
        """Which cards are marked, and whether one stops there."""
        return self._points

    def set_points(self, points: dict[int, bool]) -> None:
        """Marks other cards."""
        if points != self._points:
            self._points = points
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._ink = theme.colour("breakpoint")
        self._ground = theme.colour("canvas")
        self.update()

    def rect(self, card: int) -> QRectF:
        """Where the mark of a card is at 100 %."""
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
        """Draws all marks: people set few."""
        if not self._points:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = max(RADIUS, min(_FAR / self.scale_of(painter), _MOST_FAR))
        for card, enabled in self._points.items():
            middle = self._middle(card)
            paint_breakpoint(painter, middle, radius, self._ink, self._ground, enabled=enabled)


def paint_breakpoint(
    painter: QPainter,
    middle: QPointF,
    radius: float,
    ink: QColor,
    ground: QColor,
    *,
    enabled: bool,
) -> None:
    """A disc with a line of the ground around it; hollow where one does not stop."""
    painter.setPen(QPen(ground, radius * 0.35))
    painter.setBrush(ink)
    painter.drawEllipse(middle, radius, radius)
    if not enabled:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(middle, radius * 0.5, radius * 0.5)

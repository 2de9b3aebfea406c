"""The bands around cards that a search has found, below everything that tells of a step."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.face import SHAPES, Shape
from gradviz.viewer.canvas.layer import Layer
from gradviz.viewer.canvas.outline import around
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.look.theme import Theme

HIT = 6.0
"""How far a band looks out, in units of the scene."""

_LEAST_HIT = 4.2
"""The same in pixels, where the whole graph is small: a hit is what one looks for."""

_REACH = 420.0


class HitLayer(Layer):
    """The bands of a picture's cards."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=_REACH)
        self._picture = picture
        self._hits: frozenset[int] = frozenset()
        self.set_theme(theme)

    def set_hits(self, hits: frozenset[int]) -> None:
        """Puts bands around other cards."""
        self._hits = hits
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._theme = theme
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws all bands, however small the graph is."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        grown = max(1.0, _LEAST_HIT / HIT / self.scale_of(painter))
        for at in self._hits:
            shape = SHAPES[self._picture.nodes[at].kind]
            paint_hit(painter, self._theme, shape, QRectF(*self._boxes[at].tolist()), grown)


def paint_hit(
    painter: QPainter, theme: Theme, shape: Shape, box: QRectF, grown: float = 1.0
) -> None:
    """Paints the band around one card."""
    painter.setPen(QPen(theme.colour("text"), 1.2 * grown))
    painter.setBrush(theme.colour("search_hit"))
    painter.drawPath(around(shape, box, HIT * grown))

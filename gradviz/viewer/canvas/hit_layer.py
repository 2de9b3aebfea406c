"""Bands around the cards that match the search, painted below all marks of the step."""

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
"""Width of a band, in scene units."""

_LEAST_HIT = 4.2
"""Minimum width in pixels, so that matches stay visible when zoomed out."""

_REACH = 420.0


class HitLayer(Layer):
    """Draws the bands of a picture's search matches."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(picture.boxes, margin=_REACH)
        self._picture = picture
        self._hits: frozenset[int] = frozenset()
        self.set_theme(theme)

    def set_hits(self, hits: frozenset[int]) -> None:
        """Highlight other cards."""
        self._hits = hits
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw all bands, at every scale."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        grown = max(1.0, _LEAST_HIT / HIT / self.scale_of(painter))
        for at in self._hits:
            shape = SHAPES[self._picture.nodes[at].kind]
            paint_hit(painter, self._theme, shape, QRectF(*self._boxes[at].tolist()), grown)


def paint_hit(
    painter: QPainter, theme: Theme, shape: Shape, box: QRectF, grown: float = 1.0
) -> None:
    """Paint the band around one card."""
    painter.setPen(QPen(theme.colour("text"), 1.2 * grown))
    painter.setBrush(theme.colour("search_hit"))
    painter.drawPath(around(shape, box, HIT * grown))

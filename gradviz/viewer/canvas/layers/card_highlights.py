"""Highlights of cards: hovered, selected, current, or found; and gradients in transit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gradviz.drawing.display.cards import HALO, Highlight, highlight_shapes
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.layers.layer import CanvasItem, LayerContext
from gradviz.viewer.tensor_view.cell_painter import rect_of

_LEAST_HALO = 7.0
"""Minimum width in pixels, so that the current step stays visible when zoomed out."""


class CardHighlight(CanvasItem):
    """Highlights some cards: thin if hovered, bold if selected, ring and halo if current."""

    def __init__(self, highlight: Highlight, context: LayerContext) -> None:
        super().__init__(context)
        self._highlight = highlight
        self._cards: list[int] = []
        self._moved: dict[int, QRectF] = {}

    def show(self, cards: Iterable[int], highlight: Highlight | None = None) -> None:
        """Highlight other cards, and in another way if it is given."""
        self._cards, self._moved = list(cards), {}
        self._highlight = highlight or self._highlight
        self._context.update()

    def move(self, card: int, box: QRectF) -> None:
        """Draw the highlight of a card elsewhere until the next call of `show`."""
        self._moved[card] = box
        self._context.update()

    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the highlights, at least a few pixels wide."""
        picture, colors = self._context.picture, self._context.colors()
        # Lines keep a visible width when zoomed out.
        grown = max(1.0, _LEAST_HALO / HALO / self.scale_of(painter))
        for card in self._cards:
            box = self._moved.get(card, QRectF(*picture.boxes[card].tolist()))
            shape = SHAPES[picture.nodes[card].kind]
            colors.paint(painter, highlight_shapes(self._highlight, shape, rect_of(box), grown))


_TAIL = 0.42
"""Length of the tail as a fraction of the path."""

_DOT, _LEAST_DOT = 5.5, 4.0
"""Radius of the dot in scene units, and its minimum in pixels."""


class GradientPulse(CanvasItem):
    """Dots with tails that run along lines from start to end."""

    def __init__(self, context: LayerContext) -> None:
        super().__init__(context)
        self._paths: list[tuple[FloatArray, FloatArray]] = []
        self._part = 1.0
        self._color = QColor()

    def run(self, polylines: list[FloatArray], color: QColor) -> None:
        """Prepare to run along polylines ``[n, 2]``, all at the same time."""
        self._color = color
        self._paths = [
            (vertices, np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(vertices, axis=0).T))]))
            for vertices in polylines
        ]

    def show_at(self, part: float) -> None:
        """Show the dots at a progress; nothing is shown at 0 and at 1."""
        self._part = part
        self._context.update()

    @property
    def is_visible(self) -> bool:
        """Whether dots are on their way."""
        return bool(self._paths) and 0.0 < self._part < 1.0

    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint each tail and its dot."""
        radius = max(_DOT, _LEAST_DOT / self.scale_of(painter))
        pen = QPen(self._color, radius)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        for vertices, lengths in self._paths if self.is_visible else ():
            tail = _between(vertices, lengths, max(0.0, self._part - _TAIL), self._part)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(tail)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._color)
            painter.drawEllipse(tail.last(), radius, radius)


def _between(vertices: FloatArray, lengths: FloatArray, start: float, end: float) -> QPolygonF:
    """Part of a polyline between two fractions of its length."""
    low, high = start * lengths[-1], end * lengths[-1]
    inner = lengths[(lengths > low) & (lengths < high)]
    places = np.concatenate([[low], inner, [high]])
    xs, ys = (np.interp(places, lengths, vertices[:, axis]).tolist() for axis in (0, 1))
    return QPolygonF([QPointF(x, y) for x, y in zip(xs, ys, strict=True)])

"""The few separate items: cards hovered, selected, current, or found; gradients in transit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.display.cards import HALO, Highlight, highlight_shapes
from gradviz.drawing.display.parts import Part
from gradviz.drawing.geometry.box_geometry import SHAPES, BoxShape
from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.layers.layer import REACH, GraphLayer, PartsLayer
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.tensor_view.cell_painter import rect_of
from gradviz.viewer.theme.theme import Theme

_HIT_REACH = 420.0
_LEAST_HALO = 7.0
"""Minimum width in pixels, so that the current step stays visible when zoomed out."""


class SearchHitLayer(PartsLayer):
    """Draws the bands of a picture's search matches."""

    _least_scale = _LEAST_HALO / HALO

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        super().__init__(picture.boxes, _HIT_REACH, theme)
        self._picture = picture
        self._hits: frozenset[int] = frozenset()

    def set_hits(self, hits: frozenset[int]) -> None:
        """Highlight other cards."""
        self._hits = hits
        self.update()

    def items(self, option: QStyleOptionGraphicsItem) -> Iterable[int]:
        """All matches, at every scale."""
        return self._hits

    def parts(self, at: int) -> Iterable[Part]:
        """The band of a card."""
        return self.far_parts(at, self._least_scale)

    def far_parts(self, at: int, scale: float) -> Iterable[Part]:
        """The band of a card, at least a few pixels wide."""
        shape, grown = SHAPES[self._picture.nodes[at].kind], self._least_scale / scale
        return highlight_shapes("hit", shape, self.box(at), grown)


class CardOutline(QGraphicsItem):
    """Outline of one card: thin if hovered, bold if selected, a ring and halo if current."""

    def __init__(self, highlight: Highlight, theme: Theme) -> None:
        super().__init__()
        self._highlight = highlight
        self._theme = theme
        self._box = QRectF()
        self._shape: BoxShape = "rounded"
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.hide()

    def set_failing(self, failing: bool) -> None:
        """Set whether the current step fails."""
        highlight: Highlight = "failing" if failing else "now"
        if highlight != self._highlight:
            self._highlight = highlight
            self.update()

    @property
    def box(self) -> QRectF:
        """Rectangle of the outlined card; empty while hidden."""
        return QRectF(self._box) if self.isVisible() else QRectF()

    def surround(self, box: QRectF | None, shape: BoxShape = "rounded") -> None:
        """Move around a box with a shape, or hide."""
        self.setVisible(box is not None)
        if box is not None and (box, shape) != (self._box, self._shape):
            # Qt must know before the bounds change, or its index keeps the old ones.
            self.prepareGeometryChange()
            self._box, self._shape = QRectF(box), shape
            self.update()

    def boundingRect(self) -> QRectF:
        """The card with enough margin for its halo at any scale."""
        return self._box.adjusted(-REACH, -REACH, REACH, REACH)

    def shape(self) -> QPainterPath:
        """Empty, so that it is never hit."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the outline, at least a few pixels wide."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Lines keep a visible width when zoomed out.
        grown = max(1.0, _LEAST_HALO / HALO / GraphLayer.scale_of(painter))
        box = rect_of(self._box)
        shapes = highlight_shapes(self._highlight, self._shape, box, grown)
        PartPainter(self._theme).paint(painter, shapes)


_TAIL = 0.42
"""Length of the tail as a fraction of the path."""

_DOT, _LEAST_DOT = 5.5, 4.0
"""Radius of the dot in scene units, and its minimum in pixels."""


class GradientPulse(QGraphicsItem):
    """Dots with tails that run along lines from start to end."""

    def __init__(self) -> None:
        super().__init__()
        self._polylines: list[FloatArray] = []
        self._lengths: list[FloatArray] = []
        self._part = 1.0
        self._color = QColor()
        self._bounds = QRectF()
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        # Above all layers of the scene.
        self.setZValue(6)
        self.hide()

    def run(self, polylines: list[FloatArray], color: QColor) -> None:
        """Prepare to run along polylines ``[n, 2]``, all at the same time."""
        self.prepareGeometryChange()
        self._polylines, self._color = polylines, color
        self._lengths = [
            np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(vertices, axis=0).T))])
            for vertices in polylines
        ]
        points = np.concatenate([*polylines, np.zeros((0, 2))])
        low = points.min(axis=0) if len(points) else np.zeros(2)
        high = points.max(axis=0) if len(points) else np.zeros(2)
        self._bounds = QRectF(QPointF(*low), QPointF(*high))

    def show_at(self, part: float) -> None:
        """Show the dots at a progress; nothing is shown at 0 and at 1."""
        self._part = part
        self.setVisible(bool(self._polylines) and 0.0 < part < 1.0)
        self.update()

    def boundingRect(self) -> QRectF:
        """Bounds of all paths with enough margin for their dots at any scale."""
        return self._bounds.adjusted(-REACH, -REACH, REACH, REACH)

    def shape(self) -> QPainterPath:
        """Empty, so that it is never hit."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw each tail and its dot."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = max(_DOT, _LEAST_DOT / GraphLayer.scale_of(painter))
        pen = QPen(self._color, radius)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        for vertices, lengths in zip(self._polylines, self._lengths, strict=True):
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

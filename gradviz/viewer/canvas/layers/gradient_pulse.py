"""Animated dots with tails that run along lines: gradients in transit."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.layers.layer import REACH, GraphLayer

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

    @property
    def curve_count(self) -> int:
        """Number of paths it runs along."""
        return len(self._polylines)

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

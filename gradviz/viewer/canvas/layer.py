"""What the layers of the canvas share: chunks, levels of detail, and staying out of hit tests."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem

from gradviz.viewer.canvas.chunks import Chunks
from gradviz.viewer.canvas.picture import Floats

TEXT_FROM = 0.35
"""Below this scale no text is drawn, and boxes are plain rectangles."""

NEAR_CELL = 400.0
FAR_CELL = 3200.0
"""Sides of the chunks for near and far views, in scene units."""


class Layer(QGraphicsItem):
    """One item for all boxes or all curves, drawn chunk by chunk."""

    def __init__(self, boxes: Floats, margin: float) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self._near = Chunks(boxes, NEAR_CELL)
        self._far = Chunks(boxes, FAR_CELL)
        self._margin = margin
        self._bounds = _bounds(boxes, margin)

    def visible(self, option: QStyleOptionGraphicsItem, *, far: bool) -> Iterator[list[int]]:
        """The members of each chunk in sight."""
        chunks = self._far if far else self._near
        rect = option.exposedRect.adjusted(-self._margin, -self._margin, self._margin, self._margin)
        for number in chunks.in_sight(rect.left(), rect.top(), rect.right(), rect.bottom()):
            yield chunks.members[number].tolist()

    @staticmethod
    def scale_of(painter: QPainter) -> float:
        """How many pixels a scene unit has, before the screen's own scale."""
        return painter.worldTransform().m11() / painter.device().devicePixelRatioF()

    def boundingRect(self) -> QRectF:
        """Everything that is drawn."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """Empty: Qt must never test a path of thousands of curves against the mouse."""
        return QPainterPath()


def _bounds(boxes: Floats, margin: float) -> QRectF:
    if len(boxes) == 0:
        return QRectF()
    left, top = boxes[:, :2].min(axis=0)
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0)
    rect = QRectF(float(left), float(top), float(right - left), float(bottom - top))
    return rect.adjusted(-margin, -margin, margin, margin)

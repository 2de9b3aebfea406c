"""What the layers of the canvas share: chunks, levels of detail, and staying out of hit tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem

from gradviz.viewer.canvas.chunks import Chunks, touching
from gradviz.viewer.canvas.picture import Floats
from gradviz.viewer.look.theme import Theme

PaintTensor = Callable[[QPainter, QRectF, int], None]
"""Paints the elements of a tensor of the trace into a rectangle."""

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
        self._boxes = boxes
        self._near = Chunks(boxes, NEAR_CELL)
        self._far = Chunks(boxes, FAR_CELL)
        self._margin = margin
        self._bounds = _bounds(boxes, margin)

    def far_chunks(self, option: QStyleOptionGraphicsItem) -> Iterator[tuple[int, list[int]]]:
        """Number and members of each large chunk in sight."""
        for number in self._far.in_sight(*self._exposed(option)):
            yield number, self._far.members[number].tolist()

    def seen(self, option: QStyleOptionGraphicsItem) -> list[int]:
        """Indices of what is in sight, seen from near."""
        exposed = self._exposed(option)
        found = [self._near.members[number] for number in self._near.in_sight(*exposed)]
        if not found:
            return []
        among = np.concatenate(found)
        seen: list[int] = among[touching(self._boxes[among], *exposed)].tolist()
        return seen

    def _exposed(self, option: QStyleOptionGraphicsItem) -> tuple[float, float, float, float]:
        out = self._margin
        rect = option.exposedRect.adjusted(-out, -out, out, out)
        return rect.left(), rect.top(), rect.right(), rect.bottom()

    def whole(self) -> QStyleOptionGraphicsItem:
        """Asks to draw everything, for a picture of the whole layer."""
        option = QStyleOptionGraphicsItem()
        option.exposedRect = self._bounds
        return option

    @staticmethod
    def scale_of(painter: QPainter) -> float:
        """How many pixels a scene unit has, before the screen's own scale."""
        # Qt keeps the screen's scale apart, in the device's transform.
        return painter.worldTransform().m11()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        raise NotImplementedError

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

"""Paints a part of a graph exactly as it would look in a full repaint."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QStyleOptionGraphicsItem


class PartialPainter:
    """A pixmap of the size of a view's viewport, of which one part at a time is painted.

    Qt would clip all lines to the part, and dashes and soft edges that cross its border would not
    meet the rest of the picture. Here each item is painted without clipping, and only the part is
    copied to the screen.
    """

    def __init__(self) -> None:
        self._pixmap = QPixmap()

    def paint(self, view: QGraphicsView, scene: QGraphicsScene, area: QRect) -> QPixmap:
        """Return a pixmap that shows the scene inside of an area; the rest of it is undefined.

        Args:
            view: The view of the scene; its render hints and transform apply.
            scene: Its items must neither be moved, transformed nor nested.
            area: The area to paint, in pixels of the viewport.
        """
        ratio = view.devicePixelRatioF()
        size = view.viewport().size() * ratio
        if self._pixmap.size() != size:
            self._pixmap = QPixmap(size)
        self._pixmap.setDevicePixelRatio(ratio)
        painter = QPainter(self._pixmap)
        painter.fillRect(area, scene.backgroundBrush())
        painter.setRenderHints(view.renderHints())
        painter.setWorldTransform(view.viewportTransform())
        option = QStyleOptionGraphicsItem()
        option.exposedRect = view.mapToScene(area).boundingRect()
        for item in scene.items(Qt.SortOrder.AscendingOrder):
            if item.isVisible() and item.boundingRect().intersects(option.exposedRect):
                painter.save()
                painter.setOpacity(item.opacity())
                item.paint(painter, option)
                painter.restore()
        painter.end()
        return self._pixmap

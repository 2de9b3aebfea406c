"""A tensor in few pixels, without controls."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter

from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.thumbnail import thumbnail_of
from gradviz.model.tensor import TensorValue
from gradviz.viewer.tensor_view.cell_painter import (
    number_font,
    paint_cells,
    rect_of,
    screen_pixels,
)
from gradviz.viewer.theme.theme import Theme


def thumbnail_size(value: TensorValue, most: QSizeF) -> QSizeF:
    """Best size of a tensor within ``most``: numbers fit, or else cells are square."""
    return QSizeF(*thumbnail_of(value, number_font()).size((most.width(), most.height())))


def paint_thumbnail(
    painter: QPainter, rect: QRectF, value: TensorValue, theme: Theme, limit: float | None = None
) -> None:
    """Paint a tensor into a rectangle, with its numbers if they fit.

    A tensor with more than two dimensions shows its first plane; an empty one shows a box with a
    diagonal line.

    Args:
        painter: The painter; its state is restored.
        rect: The rectangle to fill; `thumbnail_size` returns a suitable size.
        value: The kept elements.
        theme: Colors of lines and marks.
        limit: Colors go from ``-limit`` to ``limit``; by default the tensor's largest magnitude.
    """
    thumbnail = thumbnail_of(value, number_font(), limit)
    painter.save()
    # Marks can be larger than the cells at the edges.
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    pixels = screen_pixels(painter)
    paint_cells(painter, thumbnail.shapes(rect_of(rect), theme_paint(theme.name), pixels=pixels))
    painter.restore()

"""Paints the shapes of a layout of cells, and a tensor in few pixels."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellImage,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
)
from gradviz.drawing.cells.cell_numbers import NumberFont
from gradviz.drawing.cells.thumbnail import thumbnail_of
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.tensor import TensorValue
from gradviz.viewer.theme.theme import Theme, cached_font, ui_family

_MEASURED = 64
_STRONG = 14
"""Numbers of this size and more are semi-bold; smaller ones would clog."""
_FORMATS = {3: QImage.Format.Format_RGB888, 4: QImage.Format.Format_RGBA8888}


@cache
def number_font() -> NumberFont:
    """Measures numbers in the font of the window."""
    # Without hinting, width and height scale by the same factor.
    metrics = QFontMetricsF(_font(_MEASURED))
    return NumberFont(
        width=lambda text: metrics.horizontalAdvance(text) / _MEASURED,
        height=metrics.height() / _MEASURED,
    )


def _font(size: float) -> QFont:
    weight = QFont.Weight.DemiBold if size >= _STRONG else QFont.Weight.Normal
    return cached_font(ui_family(), max(1, round(size)), weight)


def paint_cells(painter: QPainter, shapes: Iterable[CellShape]) -> None:
    """Paint shapes, the first one lowest; the painter's state is restored."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
    for shape in shapes:
        _paint(painter, shape)
    painter.restore()


def _paint(painter: QPainter, shape: CellShape) -> None:
    match shape:
        case CellImage():
            _smooth(painter, False)
            colors = np.ascontiguousarray(shape.colors)
            height, width, channels = colors.shape
            # Without the row length, QImage would expect rows padded to a multiple of four bytes.
            form = _FORMATS[channels]
            image = QImage(colors.data, width, height, channels * width, form)
            painter.drawImage(qt_rect(shape.box), image)
        case CellAreas():
            _smooth(painter, False)
            for box in shape.boxes:
                painter.fillRect(qt_rect(box), QColor(shape.fill))
        case CellLines():
            # Smoothing would blur what is upright or level.
            _smooth(painter, any(x != to and y != end for x, y, to, end in shape.lines[:1]))
            ink = QColor(shape.ink)
            ink.setAlphaF(shape.opacity)
            painter.setPen(QPen(ink, shape.width))
            painter.drawLines([QLineF(*line) for line in shape.lines])
        case CellTriangles():
            _smooth(painter, True)
            has_edge = shape.edge != "none"
            painter.setPen(QPen(QColor(shape.edge), 1) if has_edge else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shape.fill))
            for corners in shape.corners:
                painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        case CellTexts():
            painter.setFont(_font(shape.size))
            for box, text, color in shape.texts:
                painter.setPen(QColor(color))
                painter.drawText(qt_rect(box), Qt.AlignmentFlag.AlignCenter, text)


def _smooth(painter: QPainter, smooth: bool) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, smooth)


def screen_pixels(painter: QPainter) -> tuple[float, float]:
    """Pixels of the screen in a unit of the painter, across and down."""
    # Unlike the world transform, it includes the screen's device pixel ratio.
    device = painter.deviceTransform()
    return abs(device.m11()), abs(device.m22())


def qt_rect(box: Rect) -> QRectF:
    """A rectangle as Qt has it."""
    return QRectF(box.x, box.y, box.width, box.height)


def rect_of(box: QRectF) -> Rect:
    """A rectangle of Qt as layouts have it."""
    return Rect(x=box.x(), y=box.y(), width=box.width(), height=box.height())


def thumbnail_size(value: TensorValue, most: QSizeF) -> QSizeF:
    """Best size of a tensor within ``most``: numbers fit, or else cells are square."""
    return QSizeF(*thumbnail_of(value, number_font()).size((most.width(), most.height())))


def paint_thumbnail(
    painter: QPainter,
    rect: QRectF,
    value: TensorValue,
    theme: Theme,
    limit: float | None = None,
    font: NumberFont | None = None,
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
        font: With which the rectangle was measured; by default that of the window.
    """
    thumbnail = thumbnail_of(value, font or number_font(), limit)
    painter.save()
    # Marks can be larger than the cells at the edges.
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    pixels = screen_pixels(painter)
    paint_cells(painter, thumbnail.shapes(rect_of(rect), theme_paint(theme.name), pixels=pixels))
    painter.restore()

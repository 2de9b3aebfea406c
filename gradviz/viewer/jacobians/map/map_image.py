"""The colored cells of a Jacobian map in a plot, at any zoom."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.color_map import HeatValues
from gradviz.viewer.jacobians.map.downsampling import Levels, levels_of
from gradviz.viewer.jacobians.map.map_colors import MapColors
from gradviz.viewer.tensor_view.small.cell_signs import STROKE_FROM, hatch_of
from gradviz.viewer.theme.theme import Theme

_MOST_AT_ONCE = 1 << 18
"""Maximum size of a level colored as a whole; of others only the visible part is."""


class MapImage(QGraphicsObject):
    """Paints a matrix as cells; cell ``[i, j]`` is centered at ``(j, i)``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._levels: Levels = (np.empty((0, 0)),)
        self._colors = MapColors(limit=1.0)
        self._made: tuple[tuple[int, ...], QImage] | None = None
        self._hatch: tuple[tuple[int, ...], QImage] | None = None
        # Without this flag, Qt reports the whole item as exposed, and all of it would be colored.
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def show_matrix(
        self, heat: HeatValues, colors: MapColors, levels: Levels | None = None
    ) -> None:
        """Show another matrix.

        Args:
            heat: ``[rows, columns]``.
            colors: Colors of its elements.
            levels: Result of `levels_of`, if already computed.
        """
        self.prepareGeometryChange()
        self._levels = levels_of(heat) if levels is None else levels
        self._colors = colors
        self._made = self._hatch = None
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self._made = self._hatch = None
        self.update()

    def boundingRect(self) -> QRectF:
        """Bounds of all cells."""
        rows, columns = self._levels[0].shape
        return QRectF(-0.5, -0.5, columns, rows)

    def shape(self) -> QPainterPath:
        """Empty, so that mouse events never hit it."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the finest level whose cells are at least one pixel wide and high."""
        if not self._levels[0].size:
            return
        # Unlike the world transform, it includes the screen's device pixel ratio.
        device = painter.deviceTransform()
        side = min(abs(device.m11()), abs(device.m22()))
        level = max(0, min(math.ceil(-math.log2(max(side, 1e-9))), len(self._levels) - 1))
        # Smoothing would mix neighboring elements into the colors of other values.
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        image, place = self._image(level, exposed(option))
        painter.drawImage(place, image)
        if side < STROKE_FROM and self._colors.scale == "signed":
            self._paint_hatch(painter, exposed(option), device, level)

    def _image(self, level: int, seen: QRectF) -> tuple[QImage, QRectF]:
        """Image of a level, or of its visible part if it is large, and the image's rectangle."""
        heat = self._levels[level]
        rows, columns = (0, heat.shape[0]), (0, heat.shape[1])
        if heat.size > _MOST_AT_ONCE:
            rows = _range(seen.top(), seen.bottom(), level, heat.shape[0])
            columns = _range(seen.left(), seen.right(), level, heat.shape[1])
        key = (level, *rows, *columns)
        if self._made is None or self._made[0] != key:
            part = heat[rows[0] : rows[1], columns[0] : columns[1]]
            self._made = key, self._colors.image(part, self._theme.name)
        return self._made[1], _place(level, rows, columns)

    def _paint_hatch(self, painter: QPainter, seen: QRectF, device: QTransform, level: int) -> None:
        """Hatch negative values where cells are too small for a minus sign."""
        heat = self._levels[level]
        top, bottom = _range(seen.top(), seen.bottom(), level, heat.shape[0])
        left, right = _range(seen.left(), seen.right(), level, heat.shape[1])
        part = heat[top:bottom, left:right]
        if not (part < 0).any():
            return
        place = _place(level, (top, bottom), (left, right))
        size = device.mapRect(place).size().toSize()
        key = (level, top, bottom, left, right, size.width(), size.height())
        if self._hatch is None or self._hatch[0] != key:
            width, height = max(1, size.width()), max(1, size.height())
            image = hatch_of(part, self._colors.limit, width, height, self._theme.name)
            self._hatch = key, image
        painter.drawImage(place, self._hatch[1])


def exposed(option: QStyleOptionGraphicsItem) -> QRectF:
    """Visible part of an item in its own coordinates."""
    rect: QRectF = option.exposedRect
    return rect


def _place(level: int, rows: tuple[int, int], columns: tuple[int, int]) -> QRectF:
    """Scene rectangle of a range of elements of a level."""
    width, height = columns[1] - columns[0], rows[1] - rows[0]
    left, top = columns[0] << level, rows[0] << level
    return QRectF(left - 0.5, top - 0.5, width << level, height << level)


def _range(start: float, stop: float, level: int, size: int) -> tuple[int, int]:
    """Elements of a level between two scene coordinates."""
    first = max(0, math.floor((start + 0.5) / (1 << level)))
    return first, max(first, min(size, math.ceil((stop + 0.5) / (1 << level))))

"""Marks for values beyond any color scale, told apart by shape as well as color."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from gradviz.drawing.appearance.color_map import HeatValues, dark_ink_on
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.theme.theme import Theme

SMALLEST = 7.0
"""Smallest width and height of a mark in pixels, even in a smaller cell."""

_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)


@dataclass(frozen=True, slots=True)
class ValueMark:
    """The mark of one kind of value: NaN, +Inf or -Inf.

    Attributes:
        text: Text in a cell.
        role: Color role in the theme.
        shape: ``cross``, ``up`` or ``down``.
    """

    text: str
    role: PaletteRole
    shape: str


NAN = ValueMark("nan", "nan", "cross")
POSITIVE = ValueMark("inf", "positive_infinity", "up")
NEGATIVE = ValueMark("-inf", "negative_infinity", "down")


def mark_of(heat: float) -> ValueMark | None:
    """The mark of a value; None for a finite one."""
    if np.isfinite(heat):
        return None
    if np.isnan(heat):
        return NAN
    return POSITIVE if heat > 0 else NEGATIVE


def marked_cells(heat: HeatValues) -> npt.NDArray[np.int64]:
    """Row and column of each cell that is not finite, ``[n, 2]``."""
    return cells_where(~np.isfinite(heat))


def cells_where(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Row and column of each True, ``[n, 2]``; faster than ``argwhere`` if few are True."""
    flat = np.flatnonzero(mask)
    found = np.empty((len(flat), 2), np.int64)
    np.divmod(flat, max(1, mask.shape[1]), out=(found[:, 0], found[:, 1]))
    return found


def thinned(
    cells: npt.NDArray[np.int64], rows_in_one: float, columns_in_one: float
) -> npt.NDArray[np.int64]:
    """Keep one cell of each block of that size, since the marks of others would overlap."""
    if len(cells) == 0 or (rows_in_one <= 1 and columns_in_one <= 1):
        return cells
    blocks = np.floor(cells / np.array([max(1.0, rows_in_one), max(1.0, columns_in_one)]))
    _, first = np.unique(blocks.astype(np.int64), axis=0, return_index=True)
    return cells[np.sort(first)]


def paint_mark(painter: QPainter, cell: QRectF, mark: ValueMark, theme: Theme) -> None:
    """Paint a hatched background in the mark's color, and the mark's shape on it."""
    ground = theme.color(mark.role)
    ink = ink_on(ground)
    painter.fillRect(cell, ground)
    if cell.width() >= 16 and cell.height() >= 12:
        hatch = QColor(ink)
        hatch.setAlpha(90)
        painter.fillRect(cell, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
    side = min(cell.width(), cell.height()) * 0.6
    _paint_shape(painter, mark.shape, cell.center(), max(side, 3.0), ink)


def paint_mark_text(painter: QPainter, cell: QRectF, mark: ValueMark, theme: Theme) -> None:
    """Paint the mark with its text in the painter's font, for a cell in which it fits."""
    ground = theme.color(mark.role)
    ink = ink_on(ground)
    painter.fillRect(cell, ground)
    hatch = QColor(ink)
    hatch.setAlpha(110)
    painter.fillRect(cell, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
    metrics = painter.fontMetrics()
    width = metrics.horizontalAdvance(mark.text) + 4
    plate = QRectF(0, 0, min(width, cell.width()), min(metrics.height(), cell.height()))
    plate.moveCenter(cell.center())
    # A plain ground for the text; the hatch around it is the sign that is not a color.
    painter.fillRect(plate, ground)
    painter.setPen(ink)
    painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, mark.text)


def ink_on(ground: QColor) -> QColor:
    """Black or white, whichever is more readable on a color."""
    rgb = np.array([ground.red(), ground.green(), ground.blue()], dtype=np.uint8)
    return _BLACK if dark_ink_on(rgb) else _WHITE


def _paint_shape(painter: QPainter, shape: str, centre: QPointF, side: float, ink: QColor) -> None:
    half = side / 2
    x, y = centre.x(), centre.y()
    painter.save()
    # Smoothing would blur a mark of a few pixels.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, side > 4)
    if shape == "cross":
        painter.setPen(QPen(ink, max(1.0, side / 6)))
        painter.drawLine(QPointF(x - half, y - half), QPointF(x + half, y + half))
        painter.drawLine(QPointF(x - half, y + half), QPointF(x + half, y - half))
    else:
        tip = -half if shape == "up" else half
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        corners = [QPointF(x - half, y - tip), QPointF(x + half, y - tip), QPointF(x, y + tip)]
        painter.drawPolygon(QPolygonF(corners))
    painter.restore()

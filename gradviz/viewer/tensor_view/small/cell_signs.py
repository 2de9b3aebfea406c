"""Cell marks that do not depend on color: strokes below zero, wedges beyond the scale, frames.

Strokes and wedges make a value's sign visible in grayscale print and to color-blind readers, and
show that a clipped value is larger than its color says.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from gradviz.drawing.appearance.color_map import HeatValues, dark_ink_of, has_negative_color
from gradviz.drawing.appearance.palette import PaletteTheme
from gradviz.viewer.tensor_view.value_marks import SMALLEST, cells_where, thinned

STROKE_FROM = 7.0
"""Smallest cell side in pixels for a stroke; smaller cells are hatched instead."""

_HATCH = 6
_HATCH_STRENGTH = 0.3
_WEDGE = 6.0
_SPACING = 26.0
_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)

CellRectangle = Callable[[int, int], QRectF]
"""Maps a row and a column to the rectangle of that cell."""


def paint_strokes(
    painter: QPainter, heat: HeatValues, limit: float, place: CellRectangle, theme: PaletteTheme
) -> None:
    """Paint a short stroke, like a minus sign, into each cell with a negative color."""
    negative = cells_where(has_negative_color(heat, limit))
    if not len(negative):
        return
    dark = dark_ink_of(heat[negative[:, 0], negative[:, 1]], limit, theme)
    lines: dict[bool, list[QLineF]] = {True: [], False: []}
    cell = place(0, 0)
    left, top, width, height = cell.left(), cell.top(), cell.width(), cell.height()
    half = min(width, height) * 0.22
    for (row, column), black in zip(negative.tolist(), dark.tolist(), strict=True):
        x, y = left + column * width + width / 2, top + row * height + height / 2
        lines[black].append(QLineF(x - half, y, x + half, y))
    for black, group in lines.items():
        ink = QColor(_BLACK if black else _WHITE)
        ink.setAlpha(170)
        painter.setPen(QPen(ink, max(1.0, min(cell.width(), cell.height()) / 12)))
        painter.drawLines(group)


def hatch_of(
    blocks: HeatValues, limit: float, width: int, height: int, theme: PaletteTheme
) -> QImage:
    """Return a transparent image with slanted lines where blocks of cells have a negative color.

    Args:
        blocks: Values, ``[rows, columns]``, stretched over the image.
        limit: End of the color scale, which decides between dark and light lines.
        width: Width of the image in device pixels.
        height: Height of the image in device pixels.
        theme: Theme of the colors below.
    """
    rows = np.arange(height) * blocks.shape[0] // max(1, height)
    columns = np.arange(width) * blocks.shape[1] // max(1, width)
    alpha = np.uint32(round(255 * _HATCH_STRENGTH) << 24)
    inks = np.where(dark_ink_of(blocks, limit, theme), alpha, alpha | np.uint32(0xFFFFFF))
    lines = np.where(has_negative_color(blocks, limit), inks, np.uint32(0)).astype(np.uint32)
    pixels = lines[rows[:, None], columns[None, :]]
    slanted = (np.arange(height)[:, None] + np.arange(width)[None, :]) % _HATCH == 0
    pixels *= slanted
    form = QImage.Format.Format_ARGB32
    # QImage does not own the array's memory, which is freed on return.
    return QImage(pixels.data, width, height, 4 * width, form).copy()


def clipped_cells(heat: HeatValues, limit: float) -> npt.NDArray[np.int64]:
    """Row and column of each finite cell beyond the end of the color scale, ``[n, 2]``."""
    if limit <= 0:
        return np.empty((0, 2), dtype=np.int64)
    with np.errstate(invalid="ignore"):
        # The largest value itself may exceed the limit by a rounding error.
        beyond = (np.abs(heat) > limit * (1 + 1e-12)) & np.isfinite(heat)
    return cells_where(beyond)


def paint_wedges(
    painter: QPainter, heat: HeatValues, cells: npt.NDArray[np.int64], place: CellRectangle
) -> None:
    """Paint a wedge into a corner of each cell: at the top above the scale, else below."""
    if not len(cells):
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(_WHITE, 1))
    painter.setBrush(_BLACK)
    first = place(0, 0)
    # If every tiny cell had its own wedge, the wedges would hide the colors.
    spacing = SMALLEST if min(first.width(), first.height()) >= STROKE_FROM else _SPACING
    for row, column in thinned(cells, spacing / first.height(), spacing / first.width()):
        painter.drawPolygon(_wedge(place(row, column), above=heat[row, column] > 0))
    painter.restore()


def _wedge(cell: QRectF, *, above: bool) -> QPolygonF:
    side = min(_WEDGE, max(cell.width(), 4.0), max(cell.height(), 4.0))
    x, y = cell.right() - 0.5, (cell.top() if above else cell.bottom()) + (0.5 if above else -0.5)
    down = side if above else -side
    return QPolygonF([QPointF(x, y), QPointF(x - side, y), QPointF(x, y + down)])


def paint_outline(painter: QPainter, box: QRectF, width: int) -> None:
    """Paint a black and white outline just inside a box; it is visible on every color."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = width / 2
    painter.setPen(_mitred(_BLACK, width))
    painter.drawRect(box.adjusted(half, half, -half, -half))
    painter.setPen(_mitred(_WHITE, width))
    inner = half + width
    painter.drawRect(box.adjusted(inner, inner, -inner, -inner))


def grown(box: QRectF, side: float) -> QRectF:
    """Grow a box around its center to sides of at least that many pixels."""
    more_x, more_y = max(0.0, side - box.width()) / 2, max(0.0, side - box.height()) / 2
    return box.adjusted(-more_x, -more_y, more_x, more_y)


def _mitred(ink: QColor, width: int) -> QPen:
    pen = QPen(ink, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen

"""Marks of Jacobian elements outside the tolerance, which leave the cells' colors visible.

A large cell gets a corner. On small cells nothing is painted: bars beside the map mark their rows
and columns.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gradviz.viewer.jacobians.map.cell_numbers import VisibleCells
from gradviz.viewer.jacobians.map.downsampling import CellMarks

CORNER = 8.0
"""Size in pixels of the corner that marks a wrong element."""

CORNER_FROM = 12.0
"""Minimum cell size in pixels for a corner mark."""

BESIDE = 8.0
"""Space in pixels that bars need beside a map, at scale 1."""

_AWAY, _BAR = 2.0, 4.0
"""Distance of a bar from the map, and its thickness, in pixels at scale 1."""

_LEAST_BAR = 2.0
"""Minimum length of a bar in pixels."""

_BLACK, _WHITE = QColor(0, 0, 0), QColor(255, 255, 255)


def paint_corners(
    painter: QPainter, cells: VisibleCells, wrong: CellMarks, scale: float = 1.0
) -> None:
    """Mark each wrong element with a corner, unless the cells are small."""
    if min(cells.width, cells.height) >= CORNER_FROM:
        for row, column in wrong.within(cells.rows, cells.columns):
            paint_corner(painter, cells.rect(row, column), scale)


def paint_corner(painter: QPainter, box: QRectF, scale: float = 1.0) -> None:
    """Paint a corner at the upper right of a cell; larger at a larger scale, if there is space."""
    corner = box.topRight() + QPointF(-1, 1)
    side = min(CORNER * scale, max(box.height() / 4, min(CORNER, box.height() / 2)))
    path = QPainterPath(corner)
    path.lineTo(corner.x() - side, corner.y())
    path.lineTo(corner.x(), corner.y() + side)
    path.closeSubpath()
    painter.setPen(QPen(_WHITE, 1))
    painter.setBrush(_BLACK)
    painter.drawPath(path)


def paint_bars(
    painter: QPainter,
    cells: VisibleCells,
    wrong: CellMarks,
    area: QRectF,
    ink: QColor,
    scale: float = 1.0,
) -> None:
    """Mark the rows and columns of wrong elements beside the map, if the cells are small.

    Args:
        painter: Paints in pixels.
        cells: The visible cells.
        wrong: The wrong elements.
        area: Visible part of the map, in pixels. The bars are on its right and above it.
        ink: Color of the bars.
        scale: Factor for the distance and the thickness of the bars.
    """
    if min(cells.width, cells.height) >= CORNER_FROM:
        return
    rows, columns = (max(1, math.ceil(_LEAST_BAR / each)) for each in (cells.height, cells.width))
    marked = wrong.within(cells.rows, cells.columns, (rows, columns))
    away, thick = _AWAY * scale, _BAR * scale
    for row in (np.unique(marked[:, 0] // rows) * rows).tolist():
        low, high = cells.rect(row, 0).top(), cells.rect(row + rows - 1, 0).bottom()
        low, high = max(low, area.top()), min(high, area.bottom())
        painter.fillRect(QRectF(area.right() + away, low, thick, high - low), ink)
    for column in (np.unique(marked[:, 1] // columns) * columns).tolist():
        low, high = cells.rect(0, column).left(), cells.rect(0, column + columns - 1).right()
        low, high = max(low, area.left()), min(high, area.right())
        painter.fillRect(QRectF(low, area.top() - away - thick, high - low, thick), ink)

"""What is painted over a Jacobian map: numbers, marks of wrong elements, and the linked cursor."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.jacobians.cell_numbers import VisibleCells, paint_numbers
from gradviz.viewer.jacobians.map_image import exposed
from gradviz.viewer.jacobians.matrices import Matrices
from gradviz.viewer.jacobians.signs import CORNER, paint_corner, paint_ring
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.cell_signs import STROKE_FROM, paint_strokes
from gradviz.viewer.tensor_view.marks import (
    SMALLEST,
    mark_of,
    paint_mark,
    paint_mark_text,
    thinned,
)
from gradviz.viewer.tensor_view.outline import grown, paint_outline

MARK = 9.0
"""Pixels to a side of the mark of a wrong element when its cell is smaller than that."""

_GAPS_FROM = 9.0
_ROOMY = 26.0


class MapOverlay(QGraphicsObject):
    """Painted in pixels, so that text and marks have one size at every zoom.

    Args:
        matrices: What is shown.
        which: 0 numerical, 1 analytical, 2 difference.
        theme: Colours to draw with.
    """

    def __init__(self, matrices: Matrices, which: int, theme: Theme) -> None:
        super().__init__()
        self._matrices = matrices
        self._which = which
        self._theme = theme
        self._cursor: tuple[int, int] | None = None
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(10)
        self.painted_numbers: list[str] = []

    @property
    def cursor_cell(self) -> tuple[int, int] | None:
        """Where the cursor is."""
        return self._cursor

    def set_cursor(self, cell: tuple[int, int] | None) -> None:
        """Puts the cursor on a cell, or away."""
        self._cursor = cell
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self.update()

    def _paint_strokes(self, painter: QPainter, cells: VisibleCells) -> None:
        """A minus in each cell below zero that has no number."""
        rows, columns = cells.rows, cells.columns
        part = self._matrices.heats[self._which][
            rows.start : rows.stop, columns.start : columns.stop
        ]

        def place(row: int, column: int) -> QRectF:
            return cells.rect(rows.start + row, columns.start + column)

        paint_strokes(painter, part, self._matrices.limits[self._which], place)

    def _paint_odd(self, painter: QPainter, cells: VisibleCells) -> None:
        """NaN and infinities, which the colour scale cannot show."""
        heat = self._matrices.heats[self._which]
        painter.setFont(self._theme.font(SMALL_PIXELS))
        for row, column in thinned(
            cells.of(self._matrices.odd[self._which]),
            SMALLEST / cells.height,
            SMALLEST / cells.width,
        ):
            mark = mark_of(heat[row, column])
            box = cells.rect(row, column)
            if mark is None:
                continue
            if box.width() >= 36 and box.height() >= 16:
                paint_mark_text(painter, box, mark, self._theme)
            else:
                paint_mark(painter, grown(box, SMALLEST), mark, self._theme)

    def _paint_wrong(self, painter: QPainter, cells: VisibleCells) -> None:
        """Elements outside the tolerance: a corner when there is room, else a ring around them."""
        wrong = cells.of(self._matrices.wrong)
        for row, column in thinned(wrong, MARK / cells.height, MARK / cells.width):
            box = cells.rect(row, column)
            if min(box.width(), box.height()) >= 2 * CORNER:
                paint_corner(painter, box)
            else:
                paint_ring(painter, box.center(), MARK / 2)

    def _paint_worst(self, painter: QPainter, cells: VisibleCells) -> None:
        worst = self._matrices.worst
        if worst is None or not len(cells.of(np.array([worst]))):
            return
        box = cells.rect(*worst)
        if min(box.width(), box.height()) >= 2 * CORNER:
            paint_outline(painter, box.adjusted(3, 3, -3, -3), 1)
        else:
            paint_ring(painter, box.center(), MARK)

    def _paint_cursor(self, painter: QPainter, cells: VisibleCells) -> None:
        if self._cursor is not None:
            box = grown(cells.rect(*self._cursor), 6)
            # Around a small cell, not in it, or it would hide the number.
            out = 0 if min(box.width(), box.height()) >= _ROOMY else 3
            paint_outline(painter, box.adjusted(-out, -out, out, out), 2)

    def boundingRect(self) -> QRectF:
        """All cells, and a little more for marks that stick out."""
        rows, columns = self._matrices.shape
        return QRectF(-0.5, -0.5, columns, rows)

    def shape(self) -> QPainterPath:
        """Nothing of it is ever hit by the mouse."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Paints what is visible, in pixels."""
        cells = VisibleCells(painter.transform(), exposed(option), self._matrices.shape)
        painter.save()
        painter.setTransform(QTransform())
        _paint_gaps(painter, cells, self._theme)
        matrices, which = self._matrices, self._which
        self.painted_numbers = paint_numbers(painter, cells, matrices, which, self._theme)
        if not self.painted_numbers and min(cells.width, cells.height) >= STROKE_FROM:
            self._paint_strokes(painter, cells)
        self._paint_odd(painter, cells)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_wrong(painter, cells)
        self._paint_worst(painter, cells)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_cursor(painter, cells)
        painter.restore()


def _paint_gaps(painter: QPainter, cells: VisibleCells, theme: Theme) -> None:
    """Lines between cells that are large enough to keep apart."""
    if min(cells.width, cells.height) < _GAPS_FROM or not cells.rows or not cells.columns:
        return
    painter.setPen(theme.colour("panel"))
    whole = cells.rect(cells.rows.start, cells.columns.start).united(
        cells.rect(cells.rows.stop - 1, cells.columns.stop - 1)
    )
    for row in cells.rows[1:]:
        y = cells.rect(row, cells.columns.start).top()
        painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y))
    for column in cells.columns[1:]:
        x = cells.rect(cells.rows.start, column).left()
        painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()))

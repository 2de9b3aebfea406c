"""What is painted over a Jacobian map: numbers, marks of wrong elements, and the linked cursor."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.jacobians.block_lines import Axis, separators
from gradviz.viewer.jacobians.cell_numbers import VisibleCells, paint_numbers
from gradviz.viewer.jacobians.map_image import exposed
from gradviz.viewer.jacobians.matrices import Layer, Matrices
from gradviz.viewer.jacobians.signs import paint_corner, paint_dots, paint_ring
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.cell_signs import STROKE_FROM, paint_strokes
from gradviz.viewer.tensor_view.marks import (
    SMALLEST,
    cells_where,
    mark_of,
    paint_mark,
    paint_mark_text,
)
from gradviz.viewer.tensor_view.outline import grown, paint_outline

MARK = 9.0
"""Pixels to a side of the mark of a wrong element when its cell is smaller than that."""

CORNER_FROM = 12.0
"""Pixels to a side of a cell that has room for a corner, and for an outline of its own."""

_LEAST_BLOCK = 24.0
"""Pixels of the smallest block that is parted from the next by a line."""

_SEPARATOR = QColor(62, 68, 82)
"""Dark in every theme, as the colours of the cells are the same in all of them."""

_GAPS_FROM = 9.0
_ROOMY = 26.0


class MapOverlay(QGraphicsObject):
    """Painted in pixels, so that text and marks have one size at every zoom.

    Args:
        matrices: What is shown.
        which: Position of its layer.
        theme: Colours to draw with.
    """

    def __init__(self, matrices: Matrices, which: int, theme: Theme) -> None:
        super().__init__()
        self._show(matrices)
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

    def show_matrices(self, matrices: Matrices) -> None:
        """Paints over others from now on."""
        self.prepareGeometryChange()
        self._show(matrices)
        self.update()

    def _show(self, matrices: Matrices) -> None:
        block = matrices.block
        self._matrices = matrices
        self._axes = (
            Axis(name=block.input_name, shape=block.input_shape),
            Axis(name=block.output_name, shape=block.output_shape),
        )

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self.update()

    @property
    def _layer(self) -> Layer:
        return self._matrices.layers[self._which]

    def _paint_signs(self, painter: QPainter, cells: VisibleCells) -> None:
        """A minus in each cell below zero that has no number, a dot in each that stands out."""
        rows, columns = cells.rows, cells.columns
        layer = self._layer
        part = layer.heat[rows.start : rows.stop, columns.start : columns.stop]

        def place(row: int, column: int) -> QRectF:
            return cells.rect(rows.start + row, columns.start + column)

        if layer.colours.scale == "signed":
            paint_strokes(painter, part, layer.colours.limit, place)
        if layer.colours.zeros:
            paint_dots(painter, [place(*cell) for cell in cells_where(part == 0).tolist()])

    def _paint_odd(self, painter: QPainter, cells: VisibleCells) -> None:
        """NaN and infinities, which the colour scale cannot show."""
        heat = self._layer.heat
        painter.setFont(self._theme.font(SMALL_PIXELS))
        apart = SMALLEST / cells.height, SMALLEST / cells.width
        for row, column in self._layer.odd.within(cells.rows, cells.columns, apart):
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
        apart = MARK / cells.height, MARK / cells.width
        corner = min(cells.width, cells.height) >= CORNER_FROM
        for row, column in self._matrices.wrong.within(cells.rows, cells.columns, apart):
            box = cells.rect(row, column)
            if corner:
                paint_corner(painter, box)
            else:
                paint_ring(painter, box.center(), MARK / 2)

    def _paint_worst(self, painter: QPainter, cells: VisibleCells) -> None:
        worst = self._matrices.worst
        if worst is None or worst[0] not in cells.rows or worst[1] not in cells.columns:
            return
        box = cells.rect(*worst)
        side = min(box.width(), box.height())
        if side >= CORNER_FROM:
            # In a low cell it would run through the number.
            inset = 3 if side >= _ROOMY else 0
            paint_outline(painter, box.adjusted(inset, inset, -inset, -inset), 1)
        else:
            paint_ring(painter, box.center(), MARK)

    def _paint_separators(self, painter: QPainter, cells: VisibleCells) -> None:
        """Lines between the blocks that the tensors' own shapes make."""
        if not cells.rows or not cells.columns:
            return
        whole = _whole(cells)
        for line in separators(self._axes[0], cells.rows, cells.height, _LEAST_BLOCK):
            y = cells.rect(line.place, cells.columns.start).top()
            painter.setPen(QPen(_SEPARATOR, line.weight))
            painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y))
        for line in separators(self._axes[1], cells.columns, cells.width, _LEAST_BLOCK):
            x = cells.rect(cells.rows.start, line.place).left()
            painter.setPen(QPen(_SEPARATOR, line.weight))
            painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()))

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
            self._paint_signs(painter, cells)
        self._paint_separators(painter, cells)
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
    whole = _whole(cells)
    for row in cells.rows[1:]:
        y = cells.rect(row, cells.columns.start).top()
        painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y))
    for column in cells.columns[1:]:
        x = cells.rect(cells.rows.start, column).left()
        painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()))


def _whole(cells: VisibleCells) -> QRectF:
    """Where all cells that are seen lie."""
    first = cells.rect(cells.rows.start, cells.columns.start)
    last = cells.rect(cells.rows.stop - 1, cells.columns.stop - 1)
    # Cells of a fraction of a pixel are empty rectangles, which do not unite.
    return QRectF(first.topLeft(), last.bottomRight())

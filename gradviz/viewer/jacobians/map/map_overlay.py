"""The overlay of a Jacobian map: numbers, marks of wrong elements, and the cursor."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.jacobians.map.block_separators import Separator, TensorAxis, separators
from gradviz.viewer.jacobians.map.cell_numbers import SIZES, VisibleCells, paint_numbers
from gradviz.viewer.jacobians.map.map_image import exposed
from gradviz.viewer.jacobians.map.wrong_marks import paint_bars, paint_corners
from gradviz.viewer.jacobians.pair_matrices import MatrixLayer, PairMatrices
from gradviz.viewer.tensor_view.small.cell_signs import (
    STROKE_FROM,
    grown,
    paint_outline,
    paint_strokes,
)
from gradviz.viewer.tensor_view.value_marks import (
    SMALLEST,
    cells_where,
    mark_of,
    paint_mark,
    paint_mark_text,
)
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

_DOT = QColor(96, 100, 110)


def paint_dots(painter: QPainter, boxes: Iterable[QRectF]) -> None:
    """Paint a dot in the middle of each cell, to mark exact zeros."""
    painter.setPen(QPen(_DOT, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPoints([box.center() for box in boxes])


_LEAST_BLOCK = 24.0
"""Minimum size in pixels of a block that gets separators."""

_CELLS_IN_LINE = 6.0
"""Minimum size of a cell as a multiple of a separator's width."""

_SEPARATOR = QColor(62, 68, 82)
"""Dark in every theme, since cells have the same colors in all of them."""

_GAPS_FROM = 9.0

_ROOMY = 26.0
"""Minimum cell size in pixels for an outline inside the cell; others are around it."""

_LEAST_OUTLINED = 8.0
"""Minimum size in pixels of what an outline encloses."""

_INSET = 3
"""Distance in pixels of the worst element's outline from the edge of a large cell."""

_BEYOND = 4
"""Pixels by which the outline of a cell at the edge reaches out of the map."""

_LEAST_MARKED = 4.0
"""Minimum cell size in pixels for marks of NaN and infinities within the cell."""


class MapOverlay(QGraphicsObject):
    """Painted in pixel coordinates, so that text and marks keep their size at every zoom.

    Args:
        matrices: Matrices that are shown.
        which: Index of the layer.
        theme: Colors to draw with.
        sizes: Font sizes of the numbers, largest first, at scale 1.

    Signals:
        changed: Something else is to be painted; see `paint_around`.
    """

    changed = Signal()

    def __init__(
        self,
        matrices: PairMatrices,
        which: int,
        theme: Theme,
        sizes: tuple[int, ...] = SIZES,
    ) -> None:
        super().__init__()
        self._sizes = sizes
        self._marks = True, True
        self._show(matrices)
        self._which = which
        self._theme = theme
        self._cursor: tuple[int, int] | None = None
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(10)
        self.painted_numbers: list[str] = []

    @property
    def cursor_cell(self) -> tuple[int, int] | None:
        """Cell of the cursor, or None."""
        return self._cursor

    def set_cursor(self, cell: tuple[int, int] | None) -> None:
        """Move the cursor to a cell, or hide it."""
        self._cursor = cell
        self._repaint()

    def show_marks(self, *, wrong: bool, worst: bool) -> None:
        """Set whether elements outside the tolerance, and the worst of them, are marked."""
        self._marks = wrong, worst
        self._repaint()

    def show_matrices(self, matrices: PairMatrices) -> None:
        """Show other matrices."""
        self.prepareGeometryChange()
        self._show(matrices)
        self._repaint()

    def _show(self, matrices: PairMatrices) -> None:
        block = matrices.block
        self._matrices = matrices
        self._axes = (
            TensorAxis(name=block.input_name, shape=block.input_shape),
            TensorAxis(name=block.output_name, shape=block.output_shape),
        )

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self._repaint()

    def _repaint(self) -> None:
        self.update()
        self.changed.emit()

    @property
    def _layer(self) -> MatrixLayer:
        return self._matrices.layers[self._which]

    def _paint_signs(self, painter: QPainter, cells: VisibleCells) -> None:
        """Paint a minus in negative cells that have no number, and a dot in highlighted zeros."""
        rows, columns = cells.rows, cells.columns
        layer = self._layer
        part = layer.heat[rows.start : rows.stop, columns.start : columns.stop]

        def place(row: int, column: int) -> QRectF:
            return cells.rect(rows.start + row, columns.start + column)

        if layer.colors.scale == "signed":
            paint_strokes(painter, part, layer.colors.limit, place, self._theme.name)
        if layer.colors.zeros:
            paint_dots(painter, [place(*cell) for cell in cells_where(part == 0).tolist()])

    def _paint_non_finite(self, painter: QPainter, cells: VisibleCells) -> None:
        """Mark NaN and infinities, which the color scale cannot show."""
        heat = self._layer.heat
        painter.setFont(self._theme.font(SMALL_PIXELS))
        least = SMALLEST if min(cells.width, cells.height) < _LEAST_MARKED else 0.0
        block_size = least / cells.height, least / cells.width
        for row, column in self._layer.non_finite.within(cells.rows, cells.columns, block_size):
            mark = mark_of(heat[row, column])
            box = cells.rect(row, column)
            if mark is None:
                continue
            if box.width() >= 36 and box.height() >= 16:
                paint_mark_text(painter, box, mark, self._theme)
            else:
                paint_mark(painter, grown(box, least), mark, self._theme)

    def _paint_separators(self, painter: QPainter, cells: VisibleCells) -> None:
        """Paint lines between the blocks given by the tensors' shapes."""
        if not cells.rows or not cells.columns:
            return
        whole = cells.whole
        for line in separators(self._axes[0], cells.rows, cells.height, _LEAST_BLOCK):
            y = cells.rect(line.place, cells.columns.start).top()
            painter.setPen(_separator_pen(line, cells.height))
            painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y))
        for line in separators(self._axes[1], cells.columns, cells.width, _LEAST_BLOCK):
            x = cells.rect(cells.rows.start, line.place).left()
            painter.setPen(_separator_pen(line, cells.width))
            painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()))

    def _paint_outlines(self, painter: QPainter, cells: VisibleCells) -> None:
        """Outline the worst element and the cell of the cursor."""
        worst = self._matrices.worst if self._marks[1] else None
        outlined = [(self._cursor, 2, 0)]
        # Where both are, the cursor is visible.
        outlined += [(worst, 1, _INSET)] if worst != self._cursor else []
        for cell, width, inset in outlined:
            if cell is not None and cell[0] in cells.rows and cell[1] in cells.columns:
                _paint_outline(painter, cells.rect(*cell), width, inset)

    def boundingRect(self) -> QRectF:
        """Bounds of all cells."""
        rows, columns = self._matrices.shape
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
        """Paint the visible part in pixel coordinates."""
        # Numbers have equally many digits, which must not depend on the part that is repainted.
        seen = self.clipPath().boundingRect() if self.isClipped() else exposed(option)
        visible = seen.intersected(self.boundingRect())
        cells = VisibleCells(painter.transform(), visible, self._matrices.shape)
        painter.save()
        painter.setTransform(QTransform())
        _paint_gaps(painter, cells, self._theme)
        matrices, which = self._matrices, self._which
        theme, sizes = self._theme, self._sizes
        self.painted_numbers = paint_numbers(painter, cells, matrices, which, theme, sizes)
        if not self.painted_numbers and min(cells.width, cells.height) >= STROKE_FROM:
            self._paint_signs(painter, cells)
        self._paint_separators(painter, cells)
        self._paint_non_finite(painter, cells)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._marks[0]:
            paint_corners(painter, cells, matrices.wrong, theme.scale)
        painter.restore()

    def paint_around(self, painter: QPainter, cells: VisibleCells, area: QRectF) -> None:
        """Paint the marks that are around cells or beside the map.

        Args:
            painter: Paints in pixels, also outside of the map.
            cells: The visible cells.
            area: Visible part of the map, in pixels.
        """
        if self._marks[0]:
            ink, scale = self._theme.color("error"), self._theme.scale
            paint_bars(painter, cells, self._matrices.wrong, area, ink, scale)
        painter.save()
        painter.setClipRect(area.adjusted(-_BEYOND, -_BEYOND, _BEYOND, _BEYOND))
        self._paint_outlines(painter, cells)
        painter.restore()


def _paint_outline(painter: QPainter, cell: QRectF, width: int, inset: int) -> None:
    """Outline a cell; a small one from outside, where it hides neither color nor number."""
    if min(cell.width(), cell.height()) >= _ROOMY:
        box = cell.adjusted(inset, inset, -inset, -inset)
    else:
        # Of two lines, one black and one white.
        out = 2 * width
        box = grown(cell, _LEAST_OUTLINED).adjusted(-out, -out, out, out)
    paint_outline(painter, box, width)


def _separator_pen(line: Separator, pixels: float) -> QPen:
    """Pen of a line beside cells of a size in pixels; a thick one would hide small cells."""
    return QPen(_SEPARATOR, max(1.0, min(line.weight, pixels / _CELLS_IN_LINE)))


def _paint_gaps(painter: QPainter, cells: VisibleCells, theme: Theme) -> None:
    """Paint gaps between cells that are large enough."""
    if min(cells.width, cells.height) < _GAPS_FROM or not cells.rows or not cells.columns:
        return
    painter.setPen(theme.color("panel"))
    whole = cells.whole
    for row in cells.rows[1:]:
        y = cells.rect(row, cells.columns.start).top()
        painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y))
    for column in cells.columns[1:]:
        x = cells.rect(cells.rows.start, column).left()
        painter.drawLine(QPointF(x, whole.top()), QPointF(x, whole.bottom()))

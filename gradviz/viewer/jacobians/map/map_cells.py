"""The cells of a Jacobian map at any zoom, with the marks beside them and the cursor."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import CellGrid, seen_range
from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.drawing.cells.cell_numbers import MOST_NUMBERS, CellNumbers, fitting_numbers
from gradviz.drawing.cells.cells import Cells
from gradviz.drawing.cells.layout import bars, cell_outline, cell_shapes
from gradviz.drawing.cells.tensor_axis import TensorAxis
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.tensor_view.cell_painter import number_font, paint_cells, screen_pixels
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

SIZES = (SMALL_PIXELS, SMALL_PIXELS - 2)
"""Font sizes of the numbers at scale 1, preferred one first."""

_LEAST_CELL = (16.0, 12.0)
"""Smallest width and height of a cell in which a number is tried."""

_INSET = 3
"""Distance in pixels of the worst element's outline from the edge of a large cell."""

_BEYOND = 4
"""Pixels by which the outline of a cell at the edge reaches out of the map."""


def map_grid(
    transform: QTransform,
    seen: QRectF,
    shape: tuple[int, int],
    pixels: tuple[float, float] | None = None,
) -> CellGrid:
    """The cells within the visible area, in whole pixels.

    Args:
        transform: From cells to pixels; cell ``[i, j]`` is centered at ``(j, i)``.
        seen: Visible area, in cells.
        shape: Rows and columns of the matrix.
        pixels: See `CellGrid`.
    """
    width, height = abs(transform.m11()), abs(transform.m22())
    return CellGrid(
        x=transform.dx() - width / 2,
        y=transform.dy() - height / 2,
        width=width,
        height=height,
        rows=seen_range(seen.top(), seen.bottom(), shape[0]),
        columns=seen_range(seen.left(), seen.right(), shape[1]),
        pixels=pixels,
        whole=True,
    )


def map_numbers(
    cells: Cells, grid: CellGrid, sizes: tuple[float, ...] = SIZES
) -> CellNumbers | None:
    """The numbers of the visible cells if all of them fit.

    Args:
        cells: The cells.
        grid: Where they are.
        sizes: Font sizes to try, largest first.
    """
    few = 0 < len(grid.rows) * len(grid.columns) <= MOST_NUMBERS
    if not few or grid.width < _LEAST_CELL[0] or grid.height < _LEAST_CELL[1]:
        return None
    write = partial(cells.write, cells.visible_values(grid))
    return fitting_numbers(write, number_font(), (grid.width, grid.height), sizes=sizes)


def block_axes(matrices: PairMatrices) -> tuple[TensorAxis, TensorAxis]:
    """The tensors along the rows and the columns of a pair's matrices."""
    block = matrices.block
    return (
        TensorAxis(name=block.input_name, shape=block.input_shape),
        TensorAxis(name=block.output_name, shape=block.output_shape),
    )


class MapCells(QGraphicsObject):
    """Painted in pixel coordinates, so that text and marks keep their size at every zoom.

    Args:
        theme: Colors to draw with.

    Signals:
        changed: Something else is to be painted; see `paint_around`.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cells: Cells | None = None
        self._axes: tuple[TensorAxis, TensorAxis] | None = None
        self._wrong: CellMarks | None = None
        self._worst: tuple[int, int] | None = None
        self._cursor: tuple[int, int] | None = None
        # Without this flag, Qt reports the whole item as exposed.
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.painted_numbers: list[str] = []

    @property
    def cursor_cell(self) -> tuple[int, int] | None:
        """Cell of the cursor, or None."""
        return self._cursor

    @property
    def cells_shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (0, 0) if self._cells is None else self._cells.shape

    def set_cursor(self, cell: tuple[int, int] | None) -> None:
        """Move the cursor to a cell, or hide it."""
        self._cursor = cell
        self._repaint()

    def show_cells(self, cells: Cells) -> None:
        """Show cells alone, without marks of wrong ones."""
        self.prepareGeometryChange()
        self._cells = cells
        self._axes = self._wrong = self._worst = None
        self._repaint()

    def show_matrices(self, matrices: PairMatrices, which: int) -> None:
        """Show one of the matrices of a pair, with its wrong elements and their worst one."""
        self.show_cells(matrices.layers[which])
        self._axes = block_axes(matrices)
        self.show_marks(matrices.wrong, matrices.worst)

    def show_marks(self, wrong: CellMarks | None, worst: tuple[int, int] | None) -> None:
        """Mark wrong cells, and the worst of them."""
        self._wrong, self._worst = wrong, worst
        self._repaint()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self._repaint()

    def _repaint(self) -> None:
        self.update()
        self.changed.emit()

    def boundingRect(self) -> QRectF:
        """Bounds of all cells."""
        rows, columns = self.cells_shape
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
        seen = self.clipPath().boundingRect() if self.isClipped() else option.exposedRect
        visible = seen.intersected(self.boundingRect())
        transform = painter.transform()
        painter.save()
        painter.setTransform(QTransform())
        grid = map_grid(transform, visible, self.cells_shape, screen_pixels(painter))
        self.painted_numbers = []
        if self._cells is not None and grid.rows and grid.columns:
            scale, paint = self._theme.scale, theme_paint(self._theme.name)
            numbers = map_numbers(self._cells, grid, tuple(map(self._theme.px, SIZES)))
            self.painted_numbers = [text for row in numbers.rows for text in row] if numbers else []
            paint_cells(
                painter,
                cell_shapes(
                    self._cells,
                    grid,
                    paint,
                    numbers,
                    axes=self._axes,
                    wrong=self._wrong,
                    scale=scale,
                ),
            )
        painter.restore()

    def paint_around(self, painter: QPainter, grid: CellGrid, area: QRectF) -> None:
        """Paint the marks that are around cells or beside the map.

        Args:
            painter: Paints in pixels, also outside of the map.
            grid: The visible cells.
            area: Visible part of the map, in pixels.
        """
        if self._wrong is not None:
            ink = self._theme.color("error").name()
            paint_cells(painter, [bars(grid, self._wrong, ink, self._theme.scale)])
        painter.save()
        painter.setClipRect(area.adjusted(-_BEYOND, -_BEYOND, _BEYOND, _BEYOND))
        outlined = [(self._cursor, 2, 0)]
        # Where both are, the cursor is visible.
        outlined += [(self._worst, 1, _INSET)] if self._worst != self._cursor else []
        for cell, width, inset in outlined:
            if cell is not None and cell[0] in grid.rows and cell[1] in grid.columns:
                paint_cells(painter, cell_outline(grid, cell, width, inset))
        painter.restore()

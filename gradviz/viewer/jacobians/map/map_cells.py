"""Paints the cells of a Jacobian map at any zoom, with the marks beside them and the cursor."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.cells.cell_grid import CellGrid, CellShape, CellTexts, seen_range
from gradviz.drawing.cells.cell_marks import CellMarks
from gradviz.drawing.cells.cell_numbers import (
    MOST_NUMBERS,
    CellNumbers,
    NumberRows,
    fitting_numbers,
)
from gradviz.drawing.cells.cells import Cells
from gradviz.drawing.cells.layout import bars, cell_outline, cell_shapes
from gradviz.drawing.cells.pair_matrices import PairMatrices
from gradviz.drawing.cells.tensor_axis import TensorAxis, block_axes
from gradviz.viewer.tensor_view.cell_painter import (
    number_font,
    paint_cells,
    qt_rect,
    rect_of,
    screen_pixels,
)
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme

SIZES = (SMALL_PIXELS, SMALL_PIXELS - 2)
"""Font sizes of the numbers at scale 1, preferred one first."""

MAIN_SIZES = (22, 20, 18, 16, 14, *SIZES)
"""Those of the map that is looked at first."""

_DIGITS = (4, 3, 2, 1)
"""Numbers of digits to try: a rounded number says more than the stroke of its sign."""

_ZEROS = frozenset({"0", "0+0j"})

_LEAST_CELL = (16.0, 12.0)
"""Smallest width and height of a cell in which a number is tried."""

_INSET = 3
"""Distance in pixels of the worst element's outline from the edge of a large cell."""

BEYOND = 4
"""Pixels by which the outline of a cell at the edge reaches out of the map."""


def map_grid(area: QRectF, seen: QRectF, shape: tuple[int, int]) -> CellGrid:
    """The visible cells, with edges in whole pixels.

    Args:
        area: Where they are, in pixels.
        seen: Which of them are visible; cell ``[i, j]`` is centered at ``(j, i)``.
        shape: Rows and columns of the matrix.
    """
    width = area.width() / (seen.width() or 1.0)
    height = area.height() / (seen.height() or 1.0)
    return CellGrid(
        x=area.left() - (seen.left() + 0.5) * width,
        y=area.top() - (seen.top() + 0.5) * height,
        width=width,
        height=height,
        rows=seen_range(seen.top(), seen.bottom(), shape[0]),
        columns=seen_range(seen.left(), seen.right(), shape[1]),
        whole=True,
    )


def map_numbers(
    cells: Cells, grid: CellGrid, sizes: tuple[float, ...] = SIZES, *, has_plus: bool = False
) -> CellNumbers | None:
    """The numbers of the visible cells if all of them fit.

    Args:
        cells: The cells.
        grid: Where they are.
        sizes: Font sizes to try, largest first.
        has_plus: Whether positive real numbers have a sign.
    """
    few = 0 < len(grid.rows) * len(grid.columns) <= MOST_NUMBERS
    if not few or grid.width < _LEAST_CELL[0] or grid.height < _LEAST_CELL[1]:
        return None
    values = cells.visible_values(grid)
    write = partial(_with_plus, cells, values) if has_plus else partial(cells.write, values)
    cell = grid.width, grid.height
    return fitting_numbers(write, number_font(), cell, digits=_DIGITS, sizes=sizes)


def _with_plus(cells: Cells, values: npt.NDArray[Any], digits: int) -> NumberRows:
    """Write numbers, positive ones with a sign."""
    signs = np.where((values.real > 0) & (values.imag == 0), "+", "").tolist()
    return [
        # What is only the noise of a central difference is written as 0.
        [text if text in _ZEROS else sign + text for sign, text in zip(*row, strict=True)]
        for row in zip(signs, cells.write(values, digits), strict=True)
    ]


class MapCells:
    """The cells of one matrix, and what is marked among them.

    Attributes:
        theme: Colors and font sizes.
        cursor: Row and column of the cursor, or None.
        has_plus: Whether positive numbers have a sign.
        painted_numbers: The numbers in the cells, as last painted.
    """

    def __init__(self, theme: Theme, sizes: tuple[int, ...] = SIZES) -> None:
        """Start without cells.

        Args:
            theme: Colors and font sizes.
            sizes: Font sizes of the numbers at scale 1, largest first.
        """
        self.has_plus = False
        self.theme = theme
        self.cursor: tuple[int, int] | None = None
        self.painted_numbers: list[str] = []
        self._sizes = sizes
        self._cells: Cells | None = None
        self._axes: tuple[TensorAxis, TensorAxis] | None = None
        self._wrong: CellMarks | None = None
        self._worst: tuple[int, int] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return (0, 0) if self._cells is None else self._cells.shape

    def block_size(self, grid: CellGrid) -> tuple[int, int]:
        """Rows and columns of the blocks that have one color in a grid."""
        return (1, 1) if self._cells is None else self._cells.block_size(grid)

    def show_cells(self, cells: Cells) -> None:
        """Show cells alone, without marks of wrong ones."""
        self._cells = cells
        self._axes = self._wrong = self._worst = None

    def show_matrices(self, matrices: PairMatrices, which: int) -> None:
        """Show one of the matrices of a pair, with its wrong elements and their worst one."""
        self.show_cells(matrices.layers[which])
        self._axes = block_axes(matrices.block)
        self._wrong, self._worst = matrices.wrong, matrices.worst

    def paint(self, painter: QPainter, grid: CellGrid, area: QRectF) -> None:
        """Paint the visible cells, and bars beside them for wrong ones that are small.

        Args:
            painter: Paints in pixels, also outside of the area.
            grid: The visible cells.
            area: Where cells may be.
        """
        self.painted_numbers = []
        if self._cells is None or not grid.rows or not grid.columns:
            return
        paint, scale = theme_paint(self.theme.name), self.theme.scale
        sizes = tuple(map(self.theme.px, self._sizes))
        numbers = map_numbers(self._cells, grid, sizes, has_plus=self.has_plus)
        self.painted_numbers = [text for row in numbers.rows for text in row] if numbers else []
        shapes = cell_shapes(
            self._cells,
            replace(grid, pixels=screen_pixels(painter)),
            paint,
            numbers,
            axes=self._axes,
            wrong=self._wrong,
            scale=scale,
        )
        painter.save()
        painter.setClipRect(area & qt_rect(grid.box))
        muted = paint("text_muted")
        paint_cells(painter, (_with_muted_zeros(shape, muted) for shape in shapes))
        painter.restore()
        if self._wrong is not None:
            paint_cells(painter, [bars(grid, self._wrong, paint("error"), rect_of(area), scale)])

    def paint_outlines(self, painter: QPainter, grid: CellGrid, area: QRectF) -> None:
        """Outline the worst cell and that of the cursor, also beyond the edge of the area."""
        painter.save()
        painter.setClipRect(area.adjusted(-BEYOND, -BEYOND, BEYOND, BEYOND))
        outlined = [(self.cursor, 2, 0)]
        # Where both are, the cursor is visible.
        outlined += [(self._worst, 1, _INSET)] if self._worst != self.cursor else []
        for cell, width, inset in outlined:
            if cell is not None and cell[0] in grid.rows and cell[1] in grid.columns:
                paint_cells(painter, cell_outline(grid, cell, width, inset))
        painter.restore()


def _with_muted_zeros(shape: CellShape, muted: str) -> CellShape:
    """The shape, with zeros that are less loud than what differs from them."""
    if not isinstance(shape, CellTexts):
        return shape
    texts = [(box, text, muted if text in _ZEROS else ink) for box, text, ink in shape.texts]
    return replace(shape, texts=texts)

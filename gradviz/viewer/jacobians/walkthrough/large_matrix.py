"""One matrix of a pair in large cells, with the indices of its rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.drawing.cells.cell_grid import CellGrid, CellTexts, widened
from gradviz.drawing.cells.layout import BESIDE, outline
from gradviz.drawing.cells.tensor_axis import block_axes, column_labels, row_labels, widest_tick
from gradviz.viewer.jacobians.map.map_cells import MapCells, map_grid, map_numbers
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.tensor_view.cell_painter import (
    number_font,
    paint_cells,
    qt_rect,
    rect_of,
)
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.scale_bar import ScaleBar

_TICK_PIXELS = 11
_NUMBER_SIZES = (30, 24, 20, 17, 15, 13, 12, 11, 10)
_MOST_CELL, _MOST_OF_MATRIX = 52.0, 150.0
"""Maximum side of a cell, and of a matrix of fewer cells, before the theme's scale factor."""

_NEAR = (3, 2, 1)
"""Rows and columns to show on each side of an element whose number does not fit otherwise."""

_GAP = 4
_LEAST_BAND = 10

DIM_ALPHA = 60
"""Opacity of what fades the other cells: their numbers stay readable, in a dark theme, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixEmphasis:
    """What is emphasized in a matrix.

    Attributes:
        cell: Row and column of an element with an outline, or None.
        band: Whether the ``row`` or the ``column`` of that element has an outline too.
        marks: Whether the elements outside the tolerance are marked.
        alone: Whether the cells other than `cell` are faded.
    """

    cell: tuple[int, int] | None = None
    band: str = ""
    marks: bool = False
    alone: bool = False


class LargeMatrix(QWidget):
    """Paints one of the three matrices of a pair; empty until one is shown."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._which, self._theme = 0, theme
        self._title = ""
        self._matrices: PairMatrices | None = None
        self._emphasis = MatrixEmphasis()
        self._cells = MapCells(theme, _NUMBER_SIZES)
        self._scale = ScaleBar(theme, self)
        self._scale.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    @property
    def title(self) -> str:
        """Name of the matrix; empty if nothing is shown."""
        return self._title

    @property
    def emphasis(self) -> MatrixEmphasis:
        """What is emphasized."""
        return self._emphasis

    @property
    def painted_numbers(self) -> list[str]:
        """The numbers in the cells, as last painted."""
        return self._cells.painted_numbers if self._title else []

    def show_matrix(
        self,
        title: str,
        matrices: PairMatrices,
        which: int,
        emphasis: MatrixEmphasis | None = None,
    ) -> None:
        """Show a matrix.

        Args:
            title: Its name.
            matrices: Matrices of a pair that is not empty.
            which: Index of the one to show.
            emphasis: What is emphasized in it.
        """
        if matrices is not self._matrices or which != self._which:
            self._cells.show_matrices(matrices, which)
            self._scale.set_limit(matrices.layers[which].colors.limit)
        self._title, self._matrices, self._which = title, matrices, which
        self._emphasis = emphasis or MatrixEmphasis()
        self.setAccessibleName(title)
        self._place_scale()
        self.update()

    def clear(self) -> None:
        """Show nothing."""
        self._title, self._matrices = "", None
        self.setAccessibleName("")
        self._scale.hide()
        self.update()

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self._place_scale()

    def _margins(self, matrices: PairMatrices) -> tuple[float, float, float]:
        """Space in pixels for the row indices, the title, and the column indices."""
        font = self._theme.font(_TICK_PIXELS)
        size = self._theme.px(_TICK_PIXELS)
        left = widest_tick(block_axes(matrices.block)[0], number_font(), size) + self._theme.px(
            _GAP
        )
        top = QFontMetricsF(self._theme.font(UI_PIXELS, bold=True)).height()
        bottom = QFontMetricsF(font).height() + self._theme.px(_GAP)
        return left, top + self._theme.px(BESIDE), bottom

    def _grid(self, matrices: PairMatrices, below: float, near: int = 0) -> CellGrid:
        """Cells in pixels, with some space left below them; near the emphasized one if wanted."""
        rows, columns = matrices.shape
        seen = QRectF(-0.5, -0.5, columns, rows)
        if near and self._emphasis.cell is not None:
            seen = _around(self._emphasis.cell, near, matrices.shape)
        left, top, bottom = self._margins(matrices)
        longest = max(seen.width(), seen.height())
        most = self._theme.px(max(_MOST_CELL, _MOST_OF_MATRIX / longest))
        space = self.width() - left - self._theme.px(BESIDE), self.height() - top - bottom - below
        width = max(0.2, min(space[0] / seen.width(), most)) * seen.width()
        height = max(0.2, min(space[1] / seen.height(), most)) * seen.height()
        # Centered across, so that each matrix stays in place.
        area = QRectF(left + max(0.0, (space[0] - width) / 2), top, width, height)
        return map_grid(area, seen, matrices.shape)

    def _layout(self) -> tuple[CellGrid, bool]:
        """Cells in pixels, and whether their numbers fit."""
        matrices = self._matrices
        assert matrices is not None
        grid = self._grid(matrices, 0.0)
        if self._fits(matrices, grid):
            return grid, True
        for near in _NEAR if self._emphasis.alone else ():
            grid = self._grid(matrices, 0.0, near)
            if self._fits(matrices, grid):
                return grid, True
        return self._grid(matrices, self._scale.sizeHint().height()), False

    def _fits(self, matrices: PairMatrices, grid: CellGrid) -> bool:
        # Those of all three, which then look alike.
        return all(
            map_numbers(each, grid, (self._theme.px(_NUMBER_SIZES[-1]),)) is not None
            for each in matrices.layers
        )

    def _place_scale(self) -> None:
        """Show the color scale below cells without numbers."""
        if self._matrices is None:
            return
        _, numbered = self._layout()
        height = self._scale.sizeHint().height()
        self._scale.setVisible(not numbered)
        self._scale.setGeometry(0, self.height() - height, self.width(), height)

    def resizeEvent(self, event: object) -> None:
        """Place the color scale."""
        self._place_scale()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title, indices and cells."""
        matrices = self._matrices
        if matrices is None:
            return
        grid, _ = self._layout()
        painter = QPainter(self)
        whole = qt_rect(grid.box)
        painter.setFont(self._theme.font(UI_PIXELS, bold=True))
        painter.setPen(self._theme.color("text"))
        line = QRectF(0, 0, self.width(), painter.fontMetrics().height())
        line.moveLeft(whole.center().x() - line.width() / 2)
        painter.drawText(line, Qt.AlignmentFlag.AlignCenter, self._title)
        gap, font, size = self._theme.px(_GAP), number_font(), self._theme.px(_TICK_PIXELS)
        rows, columns = block_axes(matrices.block)
        ticks = row_labels(grid, rows, font, size, gap)
        ticks += column_labels(grid, columns, font, size, gap / 2)
        ink = self._theme.color("text_muted").name()
        texts = [(box, text, ink) for box, text in ticks]
        paint_cells(painter, [CellTexts(texts=texts, size=size)])
        self._cells.show_marks(matrices.wrong if self._emphasis.marks else None, None)
        self._cells.paint(painter, grid, whole)
        self._paint_emphasis(painter, grid, whole)
        painter.end()

    def _paint_emphasis(self, painter: QPainter, grid: CellGrid, whole: QRectF) -> None:
        emphasis = self._emphasis
        if emphasis.cell is None:
            return
        box = qt_rect(grid.rect(*emphasis.cell))
        if emphasis.alone:
            dimming = QColor(self._theme.color("panel"))
            dimming.setAlpha(DIM_ALPHA)
            for part in _beside(whole, box):
                painter.fillRect(part, dimming)
        if emphasis.band:
            self._paint_band(painter, box, whole)
            return
        width = round(2 * self._theme.scale)
        # Around the cell: inside, it would cover the number.
        out = width if min(box.width(), box.height()) > self._theme.px(_LEAST_BAND) else 2 * width
        paint_cells(painter, outline(widened(rect_of(box), out), width))

    def _paint_band(self, painter: QPainter, box: QRectF, whole: QRectF) -> None:
        """Outline the row or the column of a cell; around it, if it is small."""
        line = 1.7 * self._theme.scale
        is_row = self._emphasis.band == "row"
        out = line if (box.height() if is_row else box.width()) < self._theme.px(_LEAST_BAND) else 0
        band = QRectF(box.left() - out, whole.top(), box.width() + 2 * out, whole.height())
        if is_row:
            band = QRectF(whole.left(), box.top() - out, whole.width(), box.height() + 2 * out)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("backward"), line))
        painter.drawRect(band)


def _around(cell: tuple[int, int], near: int, shape: tuple[int, int]) -> QRectF:
    """Area of a few rows and columns around an element, in cells."""
    starts, lengths = [], []
    for place, size in zip(cell, shape, strict=True):
        length = min(size, 2 * near + 1)
        starts.append(max(0, min(place - near, size - length)))
        lengths.append(length)
    return QRectF(starts[1] - 0.5, starts[0] - 0.5, lengths[1], lengths[0])


def _beside(whole: QRectF, box: QRectF) -> tuple[QRectF, ...]:
    """The parts of a rectangle above, below, left and right of a box in it."""
    return (
        QRectF(whole.topLeft(), QPointF(whole.right(), box.top())),
        QRectF(QPointF(whole.left(), box.bottom()), whole.bottomRight()),
        QRectF(QPointF(whole.left(), box.top()), box.bottomLeft()),
        QRectF(box.topRight(), QPointF(whole.right(), box.bottom())),
    )

"""The map view: two Jacobians of a pair and their difference, with one linked cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from gradviz.drawing.cells.pair_matrices import (
    MatrixSource,
    PairMatrices,
    ThirdMap,
    bases_of,
    others_of,
    thirds_of,
    with_zeros,
)
from gradviz.drawing.cells.tensor_axis import block_axes
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.map.map_labels import MapFooter, MapTitle
from gradviz.viewer.jacobians.map.map_plot import MapPlot
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.scale_bar import ScaleBar

_AROUND = 6
_LOW, _NARROW = 300, 640
_SHARES = 8, 5
"""Of the width, for the large map and for the small ones."""

_MOST_BESIDE, _MOST_BELOW = 7, 12
"""Columns of maps beside each other that are certain to have numbers, and rows of those below."""

_BESIDE = ((0, 1), (1, 1)), ((2, 1), (3, 1)), ((0, 0), (1, 0, 3, 1))
_BELOW = ((1, 0), (1, 1)), ((2, 0), (2, 1)), ((0, 0), (0, 1))
"""Row and column of the title of each map and of its cells."""

_ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class JacobianView(QWidget):
    """Shows one pair of output and input. The cursor starts at the worst element.

    Attributes:
        matrices: Matrices that are shown.
        plots: Plots of the first matrix, the second, and the third map.
        heads: Title of each plot, with its choices.
        foot: Lines below the maps.
        cursor_cell: Row and column of the linked cursor, or None.
        pinned: Whether the cursor stays in place while the mouse moves.

    Signals:
        cell_changed: Row and column under the cursor, or None.
        choice_changed: The `MatrixChoice` that the user asks for.
    """

    cell_changed = Signal(object)
    choice_changed = Signal(object)

    def __init__(self, report: JacobianReport, matrices: PairMatrices, theme: Theme) -> None:
        super().__init__()
        self.matrices = matrices
        self.cursor_cell: tuple[int, int] | None = None
        self.pinned = False
        self.plots = tuple(MapPlot(theme, is_main=is_main) for is_main in (False, False, True))
        self._options: dict[str, Sequence[MatrixSource] | Sequence[ThirdMap]] = {
            "base": bases_of(matrices.block),
            "other": others_of(report, matrices.block),
            "third": thirds_of(matrices.block),
        }
        rows, columns = matrices.shape
        self._is_wide = columns > _MOST_BESIDE and rows <= _MOST_BELOW and columns > rows
        self._rows = range(3) if self._is_wide else range(1, 4, 2)
        self.heads = self._make_heads(theme)
        self._bars = ScaleBar(theme), ScaleBar(theme)
        self.foot = MapFooter(matrices, theme)
        self._lay_out()
        self._begin()
        self.show_matrices(matrices)
        self._theme = theme
        self.update_theme()
        self._connect()
        self.move_cursor(self._resting_place())

    @property
    def readout(self) -> str:
        """Text about the element under the cursor, whose card is beside or below the maps."""
        if self.cursor_cell is None:
            return self.tr("Nothing to compare: the matrix is empty.")
        name = check_text.element_name(self.matrices, *self.cursor_cell)
        judgement = check_text.element_judgement(self.matrices, *self.cursor_cell)
        text = self.tr("{name}: {judgement}")
        if self.pinned:
            text = self.tr("{name}, pinned: {judgement}")
        pairs = element_text.values_of(self.matrices, *self.cursor_cell)
        values = "   ".join(f"{label} {value}" for label, value in pairs)
        return f"{text.format(name=name, judgement=judgement)}\n{values}"

    def show_matrices(self, matrices: PairMatrices) -> None:
        """Show other matrices of the same pair; zoom and cursor stay."""
        self.matrices = matrices
        choice = matrices.choice
        for which, plot in enumerate(self.plots):
            plot.show_matrices(matrices, which)
        for head, (field, options) in zip(self.heads, self._options.items(), strict=True):
            head.show_chosen([*options].index(getattr(choice, field)))
        self.plots[2].cells.has_plus = choice.third == "difference"
        first, third = matrices.layers[0].colors, matrices.layers[2].colors
        self._bars[0].set_limit(first.limit)
        self._bars[1].show_colors(third)
        self.foot.show_matrices(matrices)
        # The same element has other values now, which the readout must show.
        self.move_cursor(self.cursor_cell)

    def move_cursor(self, cell: tuple[int, int] | None) -> None:
        """Move the cursor of all maps to an element."""
        self.cursor_cell = cell
        for plot in self.plots:
            plot.move_cursor(cell)
        for plot in self.plots:
            # The maps are painted, so screen readers get the element as text.
            plot.setAccessibleDescription(self.readout)
        self.cell_changed.emit(cell)

    def request_cell(self, cell: tuple[int, int]) -> None:
        """Pin an element, and zoom in if the matrix is large."""
        self.pinned = True
        self.move_cursor(cell)
        if max(self.matrices.shape) > 8 * _AROUND:
            row, column = cell
            side = 2 * _AROUND + 1
            area = QRectF(column - _AROUND - 0.5, row - _AROUND - 0.5, side, side)
            self.plots[0].show_area(area)

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self._scale = self._theme.scale
        for row in self._rows:
            self._grid.setRowMinimumHeight(row, self.plots[0].minimumHeight())

    def _resting_place(self) -> tuple[int, int] | None:
        rows, columns = self.matrices.shape
        if rows == 0 or columns == 0:
            return None
        worst = self.matrices.worst_elements
        return (worst[0].row, worst[0].column) if worst else (0, 0)

    def _make_heads(self, theme: Theme) -> tuple[MapTitle, ...]:
        names = self.tr("First map"), self.tr("Second map"), self.tr("Third map")
        heads = []
        for name, (field, options) in zip(names, self._options.items(), strict=True):
            texts = [element_text.option_text(each, self.matrices) for each in options]
            heads.append(MapTitle(theme, name, texts, side_by_side=field == "third"))
            heads[-1].chosen.connect(partial(self._choose, field))
        return tuple(heads)

    def _choose(self, field: str, place: int) -> None:
        chosen: dict[str, Any] = {field: self._options[field][place]}
        self.choice_changed.emit(replace(self.matrices.choice, **chosen))

    def _lay_out(self) -> None:
        self._grid = grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        # The difference is what a check is about. Both matrices are beside it, or if their numbers
        # would not fit there, below it.
        places = _BELOW if self._is_wide else _BESIDE
        for head, plot, (above, cells) in zip(self.heads, self.plots, places, strict=True):
            grid.addWidget(head, *above)
            grid.addWidget(plot, *cells)
            plot.setAccessibleName(self.tr("Map: {title}").format(title=head.text))
            plot.setToolTip(
                self.tr(
                    "Rows are elements of the input, columns are elements of the output. "
                    "Numbers are rounded to a hundredth of the tolerance; the exact "
                    "values are in the report. A corner marks elements outside the tolerance; if "
                    "the cells are small, bars beside the map mark their rows and columns. "
                    "Click an element or press Enter to explain it."
                )
            )
        for row, share in zip(self._rows, (3, 2, 2), strict=False):
            grid.setRowStretch(row, share if self._is_wide else 1)
        for column, share in enumerate((0, 1) if self._is_wide else _SHARES):
            grid.setColumnStretch(column, share)
        scales = QHBoxLayout()
        for bar, share in zip(reversed(self._bars), _SHARES, strict=True):
            scales.addWidget(bar, share)
        lay_out(QVBoxLayout(self), (grid, 1), scales, self.foot, gap=3)

    def _begin(self) -> None:
        block = self.matrices.block
        rows, columns = block_axes(block)
        titles = check_text.rows_title(block), check_text.columns_title(block)
        for plot in self.plots:
            plot.set_axes((rows, titles[0]), (columns, titles[1]))
        for plot in self.plots[1:]:
            plot.follow(self.plots[0])
        for plot in self.plots[:2] if self._is_wide else ():
            plot.above = self.plots[2]

    def _connect(self) -> None:
        for plot in self.plots:
            plot.hovered.connect(self._on_plot_hovered)
            plot.clicked.connect(self._on_plot_clicked)
            plot.key_pressed.connect(self._on_plot_key_pressed)
            plot.area_changed.connect(self._on_plot_area_changed)
        zeros, worst, fit = self.foot.buttons
        zeros.clicked.connect(self._on_zeros_clicked)
        worst.clicked.connect(self._on_worst_clicked)
        fit.clicked.connect(self.plots[0].show_all)

    def _pin(self, cell: tuple[int, int] | None, pinned: bool) -> None:
        self.pinned = pinned
        self.move_cursor(cell)

    def _on_plot_hovered(self, cell: tuple[int, int] | None) -> None:
        if cell is not None and cell != self.cursor_cell and not self.pinned:
            self.move_cursor(cell)

    def _on_plot_clicked(self, cell: tuple[int, int]) -> None:
        self._pin(cell, not (self.pinned and cell == self.cursor_cell))

    def _on_plot_key_pressed(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        arrow = _ARROWS.get(key)
        if arrow is not None and self.cursor_cell is not None:
            rows, columns = self.matrices.shape
            row = max(0, min(self.cursor_cell[0] + arrow[0], rows - 1))
            column = max(0, min(self.cursor_cell[1] + arrow[1], columns - 1))
            self.move_cursor((row, column))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.cursor_cell is not None:
            self._pin(self.cursor_cell, True)
        elif key == Qt.Key.Key_Escape and self.pinned:
            self._pin(self.cursor_cell, False)
        elif key == Qt.Key.Key_F:
            self.plots[0].show_all()
        else:
            return
        event.accept()

    def _on_plot_area_changed(self, area: QRectF) -> None:
        self.foot.show_blocks(max((plot.block_size() for plot in self.plots), key=prod))

    def _on_worst_clicked(self) -> None:
        cell = self._resting_place()
        if cell is not None:
            self.request_cell(cell)

    def _on_zeros_clicked(self, zeros: bool) -> None:
        self.show_matrices(with_zeros(self.matrices, zeros))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what is dispensable if there is little space."""
        super().resizeEvent(event)
        low = event.size().height() < _LOW * self._scale
        narrow = self._is_wide or event.size().width() < _NARROW * self._scale
        self.heads[2].show_compact(narrow)
        for plot in self.plots:
            plot.show_compact_text(low)

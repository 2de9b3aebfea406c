"""Numerical, analytical and difference side by side, under one cursor."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gradviz.viewer.jacobians import words
from gradviz.viewer.jacobians.matrices import Matrices
from gradviz.viewer.jacobians.overlay import MapOverlay
from gradviz.viewer.jacobians.plot import MapPlot, Ticks
from gradviz.viewer.jacobians.sign_legend import SignLegend
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.tensor_view.describe import unbroken
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.scale_bar import ScaleBar

_NAMED_TICKS = 12
_AROUND = 6
_ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class BlockView(QWidget):
    """Shows one pair of output and input. The cursor rests on the worst element."""

    def __init__(self, matrices: Matrices, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._matrices = matrices
        self._cursor: tuple[int, int] | None = None
        self._plots = tuple(MapPlot(theme, self) for _ in range(3))
        self._overlays = tuple(MapOverlay(matrices, which, theme) for which in range(3))
        self._titles: list[PlainLabel] = []
        self._bars = (ScaleBar(theme), ScaleBar(theme))
        self._legend = SignLegend(theme)
        self._legend.setVisible(matrices.block.wrong > 0)
        self._element = PlainLabel(pixels=UI_PIXELS, bold=True)
        self._values = PlainLabel(pixels=UI_PIXELS)
        self._worst = QPushButton(self.tr("Worst element"))
        self._fit = QPushButton(self.tr("Fit"))
        self._lay_out()
        self._fill()
        self.set_theme(theme)
        self._connect()
        self.move_cursor(self._resting_place())

    @property
    def matrices(self) -> Matrices:
        """What is shown."""
        return self._matrices

    @property
    def plots(self) -> tuple[MapPlot, ...]:
        """Numerical, analytical, difference."""
        return self._plots

    @property
    def overlays(self) -> tuple[MapOverlay, ...]:
        """What is painted on top of each."""
        return self._overlays

    @property
    def cursor_cell(self) -> tuple[int, int] | None:
        """Row and column of the linked cursor."""
        return self._cursor

    @property
    def readout(self) -> str:
        """What is said about the element under the cursor."""
        values = self._values.text().replace("\N{NO-BREAK SPACE}", " ")
        return f"{self._element.text()}\n{values}"

    def move_cursor(self, cell: tuple[int, int] | None) -> None:
        """Puts the cursor of all three maps on an element."""
        self._cursor = cell
        for overlay in self._overlays:
            overlay.set_cursor(cell)
        if cell is None:
            self._element.setText(self.tr("Nothing to compare: the matrix is empty."))
            return
        matrices = self._matrices
        name = words.element_name(matrices, *cell)
        judgement = words.element_judgement(matrices, *cell)
        if cell == matrices.worst:
            judgement = self.tr("worst element, {judgement}").format(judgement=judgement)
        text = self.tr("{name}   (row {row}, column {column}): {judgement}")
        self._element.setText(
            text.format(name=name, row=cell[0], column=cell[1], judgement=judgement)
        )
        self._values.setText(unbroken(words.element_values(matrices, *cell), "   "))

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        for plot, overlay in zip(self._plots, self._overlays, strict=True):
            plot.set_theme(theme)
            overlay.set_theme(theme)
        self._grid.setRowMinimumHeight(1, self._plots[0].widget.minimumHeight())
        for label in (*self._titles, self._element, self._values):
            label.set_theme(theme)
        self._legend.set_theme(theme)
        for bar in self._bars:
            bar.set_theme(theme)
        for button in (self._worst, self._fit):
            button.setFont(theme.font())
        self._worst.setIcon(icon("jump", theme))
        self._fit.setIcon(icon("fit", theme))

    def release(self) -> None:
        """Lets go of the plots; pyqtgraph does not do so by itself."""
        for plot in self._plots:
            plot.close()

    def _resting_place(self) -> tuple[int, int] | None:
        rows, columns = self._matrices.shape
        if rows == 0 or columns == 0:
            return None
        worst = self._matrices.block.worst
        return (0, 0) if worst is None else (worst.row, worst.column)

    def _lay_out(self) -> None:
        titles = (
            self.tr("numerical"),
            self.tr("analytical"),
            self.tr("difference = analytical − numerical"),
        )
        self._grid = grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        for column, (title, plot) in enumerate(zip(titles, self._plots, strict=True)):
            label = PlainLabel(title, bold=True)
            self._titles.append(label)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            grid.addWidget(label, 0, column)
            grid.addWidget(plot.widget, 1, column)
            grid.setColumnStretch(column, 1)
            plot.widget.setAccessibleName(self.tr("Map: {title}").format(title=title))
            plot.widget.setToolTip(
                self.tr(
                    "Rows are elements of the input, columns elements of the output. Numbers are "
                    "rounded to a hundredth of the tolerance; the exact ones stand below."
                )
            )
        grid.addWidget(self._bars[0], 2, 0, 1, 2)
        grid.addWidget(self._legend, 3, 0, 1, 3)
        grid.addWidget(self._bars[1], 2, 2)
        grid.setRowStretch(1, 1)
        said = QVBoxLayout()
        said.setSpacing(2)
        said.addWidget(self._element)
        said.addWidget(self._values)
        foot = QHBoxLayout()
        foot.addLayout(said, 1)
        foot.addWidget(self._worst)
        foot.addWidget(self._fit)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addLayout(grid, 1)
        whole.addLayout(foot)
        self._worst.setToolTip(self.tr("Goes to the element that is furthest from the tolerance"))
        self._fit.setToolTip(self.tr("Shows the whole matrix (F, or double click)"))
        self._worst.setEnabled(self._matrices.block.worst is not None)

    def _fill(self) -> None:
        matrices = self._matrices
        left, bottom = words.rows_title(matrices.block), words.columns_title(matrices.block)
        rows, columns = matrices.shape
        ticks = (
            _ticks(rows, matrices.input_index, len(matrices.block.input_shape)),
            _ticks(columns, matrices.output_index, len(matrices.block.output_shape)),
        )
        for which, plot in enumerate(self._plots):
            plot.set_axes(left, bottom, ticks)
            if rows and columns:
                levels = matrices.levels[which]
                plot.show_matrix(matrices.heats[which], matrices.limits[which], levels)
                plot.add_overlay(self._overlays[which])
            if which:
                plot.follow(self._plots[0])
        self._bars[0].set_limit(matrices.limits[0])
        self._bars[1].set_limit(matrices.limits[2])

    def _connect(self) -> None:
        for plot in self._plots:
            plot.hovered.connect(self._on_plot_hovered)
            plot.key_pressed.connect(self._on_plot_key_pressed)
        self._worst.clicked.connect(self._on_worst_clicked)
        self._fit.clicked.connect(self._on_fit_clicked)

    @Slot(object)
    def _on_plot_hovered(self, cell: tuple[int, int] | None) -> None:
        if cell is not None and cell != self._cursor:
            self.move_cursor(cell)

    @Slot(object)
    def _on_plot_key_pressed(self, event: QKeyEvent) -> None:
        arrow = _ARROWS.get(Qt.Key(event.key()))
        if arrow is not None and self._cursor is not None:
            rows, columns = self._matrices.shape
            row = max(0, min(self._cursor[0] + arrow[0], rows - 1))
            column = max(0, min(self._cursor[1] + arrow[1], columns - 1))
            self.move_cursor((row, column))
            event.accept()
        elif event.key() == Qt.Key.Key_F:
            self._on_fit_clicked()
            event.accept()

    @Slot()
    def _on_worst_clicked(self) -> None:
        """Goes to the worst element; zooms in where the matrix is too large to see it."""
        cell = self._resting_place()
        if cell is None:
            return
        self.move_cursor(cell)
        if max(self._matrices.shape) > 8 * _AROUND:
            row, column = cell
            side = 2 * _AROUND + 1
            area = QRectF(column - _AROUND - 0.5, row - _AROUND - 0.5, side, side)
            self._plots[0].show_cells(area)

    @Slot()
    def _on_fit_clicked(self) -> None:
        self._plots[0].show_all()


def _ticks(count: int, index: object, dimensions: int) -> Ticks | None:
    """Each element by its index where there are few; None leaves plain numbers."""
    if count > _NAMED_TICKS or dimensions == 0 or not callable(index):
        return None if count > _NAMED_TICKS else [(0.0, "")]
    return [(float(place), ",".join(map(str, index(place)))) for place in range(count)]

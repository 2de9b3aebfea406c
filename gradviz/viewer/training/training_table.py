"""The curves of a training as a table with one row per step."""

from __future__ import annotations

import math
from bisect import bisect_right
from operator import itemgetter

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from gradviz.analysis.training.training_curves import TrainingRun
from gradviz.catalogue.language import format_count
from gradviz.text.phrases import number_text
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.header_font import set_header_font

_MOST_CELLS = 20_000
_LEAST_ROWS = 50
_ROW = 22


class TrainingTable(QTableWidget):
    """Loss and gradient norms by step; a click or Enter goes to the step of the run.

    Signals:
        step_requested: Number of a step of the run.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: list[tuple[int, int]] = []
        self.setAccessibleName(self.tr("Loss and gradient norms by step"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QTableWidget.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.verticalHeader().hide()
        self.cellClicked.connect(self._on_cell_clicked)
        self.set_theme(theme)

    def show_training(self, training: TrainingRun, last_step: float) -> None:
        """Replace the table's contents.

        Args:
            training: The training to show.
            last_step: The last step of the run that may be revealed.
        """
        columns = [series for series in (*training.losses, *training.norms) if series.points]
        places = sorted({point.at for series in columns for point in series.points})
        most = max(_LEAST_ROWS, _MOST_CELLS // (len(columns) + 1))
        rows = {at: row for row, at in enumerate(places[:most])}
        self.clear()
        self.setRowCount(min(len(places), most + 1))
        self.setColumnCount(len(columns) + 1)
        self.setHorizontalHeaderLabels([self.tr("step"), *(each.name for each in columns)])
        for at, row in rows.items():
            self._put(row, 0, number_text(at), None)
        for column, series in enumerate(columns, start=1):
            for point in series.points:
                if point.at in rows and point.step <= last_step:
                    text = self.tr("NaN, Inf or not recorded")
                    if math.isfinite(point.value):
                        text = number_text(point.value)
                    self._put(rows[point.at], column, text, point.step)
        if len(places) > most:
            text = self.tr("{0} more: use gradviz steps --json").format(
                format_count(len(places) - most)
            )
            self._put(most, 0, text, None)
        told_of = ((step, row) for row in rows.values() for step in self._steps_in(row))
        self._known = sorted(told_of)
        self.resizeColumnsToContents()

    def show_number(self, number: int) -> None:
        """Select the row of the current step of the run."""
        at = bisect_right(self._known, number, key=itemgetter(0)) - 1
        if at >= 0:
            self.setCurrentCell(self._known[at][1], max(self.currentColumn(), 0))
        else:
            self.clearSelection()

    def _steps_in(self, row: int) -> list[int]:
        cells = [self.item(row, column) for column in range(1, self.columnCount())]
        return [step for step in map(_step_of, cells) if step is not None]

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's font sizes."""
        self.setFont(theme.font(SMALL_PIXELS))
        set_header_font(self.horizontalHeader(), theme.font(SMALL_PIXELS, bold=True))
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        self.resizeColumnsToContents()

    def _put(self, row: int, column: int, text: str, step: int | None) -> None:
        cell = QTableWidgetItem(text)
        cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        cell.setData(Qt.ItemDataRole.UserRole, step)
        self.setItem(row, column, cell)

    def _request(self, row: int, column: int) -> None:
        step = _step_of(self.item(row, column))
        steps = self._steps_in(row) if step is None else [step]
        if steps:
            self.step_requested.emit(steps[0])

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        self._request(row, column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the cell's step on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentRow() >= 0:
            self._request(self.currentRow(), self.currentColumn())
            return
        super().keyPressEvent(event)


def _step_of(cell: QTableWidgetItem | None) -> int | None:
    """Return the step of the run that a cell leads to, or None."""
    step = None if cell is None else cell.data(Qt.ItemDataRole.UserRole)
    return step if isinstance(step, int) else None

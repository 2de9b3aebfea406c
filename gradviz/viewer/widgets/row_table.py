"""A table of rows, as values instead of items."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView, QWidget

from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.row_model import RowIndex, RowModel


class RowTable(QTableView):
    """A table of rows, of which one is selected at a time.

    Signals:
        row_changed: Number of the new current row; -1 for none.
        cell_chosen: Row and column of the cell that was clicked, or activated with Enter.
    """

    row_changed = Signal(int)
    cell_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = RowModel(self)
        self.setModel(self._model)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        # Tab must leave the table, not pass through every cell.
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        FocusRing(self)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    @property
    def row_model(self) -> RowModel:
        """The model of the rows."""
        return self._model

    @property
    def current_row(self) -> int:
        """Number of the current row, from 0; -1 for none."""
        return self.currentIndex().row()

    def go_to(self, row: int, column: int = 0) -> None:
        """Make a cell current and select it; none for -1."""
        self.setCurrentIndex(self._model.index(row, column))

    @Slot(QModelIndex)
    def _choose(self, place: QModelIndex) -> None:
        # Where a click activates as well, the first signal may have led to other rows.
        if place.isValid():
            self.cell_chosen.emit(place.row(), place.column())

    def currentChanged(self, current: RowIndex, previous: RowIndex) -> None:
        """Announce another current row."""
        super().currentChanged(current, previous)
        if current.row() != previous.row():
            self.row_changed.emit(current.row())

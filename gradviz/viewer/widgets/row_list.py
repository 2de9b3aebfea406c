"""A list of rows, as values instead of items."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QListView, QWidget

from gradviz.viewer.widgets.row_model import Cell, RowIndex, RowModel


class RowList(QListView):
    """A list of rows.

    Signals:
        row_changed: Number of the new current row; -1 for none.
        row_clicked: Number of the row that was clicked.
    """

    row_changed = Signal(int)
    row_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = RowModel(self)
        self.setModel(self._model)
        self.clicked.connect(self._on_self_clicked)

    @property
    def row_model(self) -> RowModel:
        """The model of the rows."""
        return self._model

    @property
    def rows(self) -> tuple[Cell, ...]:
        """All rows."""
        return tuple([cell for (cell,) in self._model.rows])

    def show_rows(self, rows: Iterable[Cell]) -> None:
        """Show other rows; none of them is current."""
        self._model.show((row,) for row in rows)

    def update_rows(self, rows: Iterable[Cell]) -> None:
        """Show the same number of rows with other contents; the current row stays."""
        self._model.update((row,) for row in rows)

    @property
    def current_row(self) -> int:
        """Number of the current row, from 0; -1 for none."""
        return self.currentIndex().row()

    def go_to(self, row: int) -> None:
        """Make a row current and select it; none for -1."""
        self.setCurrentIndex(self._model.index(row, 0))

    @Slot(QModelIndex)
    def _on_self_clicked(self, place: QModelIndex) -> None:
        self.row_clicked.emit(place.row())

    def currentChanged(self, current: RowIndex, previous: RowIndex) -> None:
        """Announce the new current row."""
        super().currentChanged(current, previous)
        self.row_changed.emit(current.row())

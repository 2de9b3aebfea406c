"""A list of rows of text, as values instead of items.

Items of list widgets that are made in Python can be freed twice when the list is destroyed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QListView, QWidget

from gradviz.viewer.widgets.plain_text import plain_tooltip

_RowIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRow:
    """One row of a list.

    Attributes:
        text: Its text, of one or more lines.
        tip: Its tooltip.
        spoken: Replaces the text for screen readers; may be empty.
        sign: The icon before the text.
        checked: Whether its box is checked; None if it has no box.
    """

    text: str
    tip: str = ""
    spoken: str = ""
    sign: QIcon | None = None
    checked: bool | None = None


class RowModel(QAbstractListModel):
    """The rows of a list.

    Signals:
        toggled: Number of the row whose box the user clicked, and whether it is to be checked.
    """

    toggled = Signal(int, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: tuple[ListRow, ...] = ()

    @property
    def rows(self) -> tuple[ListRow, ...]:
        """All rows."""
        return self._rows

    def show(self, rows: Iterable[ListRow]) -> None:
        """Show other rows; none of them is current."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def update(self, rows: Iterable[ListRow]) -> None:
        """Show the same number of rows with other contents; the current row stays."""
        new = tuple(rows)
        assert len(new) == len(self._rows)
        self._rows = new
        if new:
            self.dataChanged.emit(self.index(0), self.index(len(new) - 1))

    def rowCount(self, parent: _RowIndex = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: _RowIndex) -> Qt.ItemFlag:
        """Tell which rows have a box."""
        flags = super().flags(index)
        if index.isValid() and self._rows[index.row()].checked is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: _RowIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, tooltip, icon or state of a row."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken or None
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(row.tip) if row.tip else None
            case Qt.ItemDataRole.DecorationRole:
                return row.sign
            case Qt.ItemDataRole.CheckStateRole if row.checked is not None:
                return Qt.CheckState.Checked if row.checked else Qt.CheckState.Unchecked
            case _:
                return None

    def setData(
        self, index: _RowIndex, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Announce that the user has clicked a box; its owner then shows the new state."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.toggled.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True


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
    def rows(self) -> tuple[ListRow, ...]:
        """All rows."""
        return self._model.rows

    @property
    def current_row(self) -> int:
        """Number of the current row, from 0; -1 for none."""
        return self.currentIndex().row()

    def go_to(self, row: int) -> None:
        """Make a row current and select it; none for -1."""
        self.setCurrentIndex(self._model.index(row))

    @Slot(QModelIndex)
    def _on_self_clicked(self, place: QModelIndex) -> None:
        self.row_clicked.emit(place.row())

    def currentChanged(self, current: _RowIndex, previous: _RowIndex) -> None:
        """Announce the new current row."""
        super().currentChanged(current, previous)
        self.row_changed.emit(current.row())

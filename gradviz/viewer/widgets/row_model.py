"""Rows of cells as values, for lists, tables and trees.

Items that are made in Python can be freed twice when their view is destroyed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QWidget

from gradviz.viewer.widgets.plain_text import plain_tooltip

RowIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a row; a list has one in each row.

    Attributes:
        text: Its text, of one or more lines.
        tip: Its tooltip.
        spoken: Replaces the text for screen readers; may be empty.
        sign: The icon before the text.
        checked: Whether its box is checked; None if it has no box.
        more: Values of other roles, such as colors.
    """

    text: str = ""
    tip: str = ""
    spoken: str = ""
    sign: QIcon | None = None
    checked: bool | None = None
    more: Mapping[int, object] = field(default_factory=dict)


RowCells = Sequence[Cell]
"""Cells of the first columns; those of the others are empty."""


class RowModel(QAbstractItemModel):
    """Rows that users cannot edit; those of a tree are headings with rows below them.

    Signals:
        toggled: Number of the row whose box the user clicked, and whether it is to be checked.
    """

    toggled = Signal(int, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._titles: Sequence[str] = ("",)
        self._row_titles: Sequence[str] = ()
        self._rows: list[RowCells] = []
        self._below: Sequence[Sequence[RowCells]] = ()

    @property
    def rows(self) -> Sequence[RowCells]:
        """All rows, or the headings of a tree."""
        return self._rows

    def show(self, rows: Iterable[RowCells], below: Sequence[Sequence[RowCells]] = ()) -> None:
        """Show other rows; no cell is current.

        Args:
            rows: All rows, or the headings of a tree.
            below: The rows below each heading.
        """
        self.beginResetModel()
        self._rows, self._below = list(rows), below
        self.endResetModel()

    def set_titles(self, titles: Sequence[str], row_titles: Sequence[str] = ()) -> None:
        """Have other columns, and other titles of rows; no cell is current."""
        self.beginResetModel()
        self._titles, self._row_titles = titles, row_titles
        self.endResetModel()

    def update(self, rows: Iterable[RowCells], first: int = 0) -> None:
        """Replace rows by as many others, from the first one on; the current cell stays."""
        new = list(rows)
        after = first + len(new)
        assert after <= len(self._rows)
        self._rows[first:after] = new
        if new:
            last = self.index(after - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(first, 0), last)

    def index(self, row: int, column: int, parent: RowIndex = _ROOT) -> QModelIndex:
        """Return the index of a cell."""
        if not (0 <= row < self.rowCount(parent) and 0 <= column < self.columnCount()):
            return QModelIndex()
        # Rows below a heading know its number, from 1.
        return self.createIndex(row, column, parent.row() + 1)

    @overload
    def parent(self) -> QObject | None: ...
    @overload
    def parent(self, place: RowIndex) -> QModelIndex: ...
    def parent(self, place: RowIndex | None = None) -> QObject | QModelIndex | None:
        """Return the view, or the index of a row's heading."""
        if place is None:
            return super().parent()
        number = place.internalId() if place.isValid() else 0
        return self.createIndex(number - 1, 0, 0) if number else QModelIndex()

    def rowCount(self, parent: RowIndex = _ROOT) -> int:
        """Return the number of rows, or of those below a heading."""
        if not parent.isValid():
            return len(self._rows)
        return len(self._below[parent.row()]) if self._is_heading(parent) else 0

    def columnCount(self, parent: RowIndex = _ROOT) -> int:
        """Return the number of columns."""
        return len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the title of a column or row."""
        across = orientation == Qt.Orientation.Horizontal
        titles = self._titles if across else self._row_titles
        shown = role == Qt.ItemDataRole.DisplayRole and section < len(titles)
        return titles[section] if shown else None

    def flags(self, index: RowIndex) -> Qt.ItemFlag:
        """Tell which rows can be selected, and which have a box."""
        flags = super().flags(index)
        if self._is_heading(index):
            flags &= ~Qt.ItemFlag.ItemIsSelectable
        if index.isValid() and self._cell_at(index).checked is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: RowIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a cell's value of a role."""
        if not index.isValid():
            return None
        cell = self._cell_at(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return cell.spoken or None
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(cell.tip) if cell.tip else None
            case Qt.ItemDataRole.DecorationRole:
                return cell.sign
            case Qt.ItemDataRole.CheckStateRole if cell.checked is not None:
                return Qt.CheckState.Checked if cell.checked else Qt.CheckState.Unchecked
            case _:
                return cell.more.get(role)

    def setData(self, index: RowIndex, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Announce that the user has clicked a box; its owner then shows the new state."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        self.toggled.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def _is_heading(self, index: RowIndex) -> bool:
        return bool(self._below) and index.isValid() and not index.internalId()

    def _cell_at(self, index: RowIndex) -> Cell:
        heading = index.internalId()
        row = (self._below[heading - 1] if heading else self._rows)[index.row()]
        return row[index.column()] if index.column() < len(row) else _EMPTY


_EMPTY = Cell()

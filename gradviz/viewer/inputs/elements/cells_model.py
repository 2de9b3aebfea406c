"""A table model of one plane of the typed elements: the last two dimensions, row or cell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.elements.typed_cells import CellElements, TypedCells, read_cells
from gradviz.viewer.inputs.fields.parsing import parse_element
from gradviz.viewer.widgets.plain_text import plain_tooltip

CellsModelIndex = QModelIndex | QPersistentModelIndex

NO_CELLS = TypedCells(shape=(0,), texts=())


class CellsModel(QAbstractTableModel):
    """Table model of `TypedCells`; reports what is typed instead of storing it.

    The owner applies the edit and calls `show_cells` with the result.

    Signals:
        typed: Position in row-major order, and the text.
    """

    typed = Signal(object, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cells = NO_CELLS
        self._dtype = "float64"
        self._elements = CellElements()
        self._place: tuple[int, ...] = ()

    @property
    def cells(self) -> TypedCells:
        """All elements, including those of other planes."""
        return self._cells

    @property
    def place(self) -> tuple[int, ...]:
        """Indices of the dimensions before the last two."""
        return self._place

    def show_cells(self, cells: TypedCells, dtype: str) -> None:
        """Show other elements; keep the plane if the shape is the same."""
        same = cells.shape == self._cells.shape
        if not same:
            self.beginResetModel()
            kept = zip(self._place, cells.shape[:-2], strict=False)
            place = [min(at, max(0, size - 1)) for at, size in kept]
            place += [0] * (len(cells.shape[:-2]) - len(place))
            self._place = tuple(place)
        self._cells, self._dtype = cells, dtype
        self._elements = read_cells(cells, dtype)
        if same:
            self._announce_all_cells()
        else:
            self.endResetModel()

    def show_place(self, place: tuple[int, ...]) -> None:
        """Show another plane."""
        if place != self._place:
            self._place = place
            self._announce_all_cells()

    def position(self, row: int, column: int) -> int:
        """Position of a cell in row-major order."""
        shape = (*self._cells.shape[:-2], *self._sizes())
        return int(np.ravel_multi_index((*self._place, row, column), shape))

    def is_wrong(self, index: CellsModelIndex) -> bool:
        """Whether an element is not valid in the dtype."""
        return self.position(index.row(), index.column()) in self._elements.wrong

    def is_rounded(self, index: CellsModelIndex) -> bool:
        """Whether the dtype rounds an element."""
        return self.position(index.row(), index.column()) in self._elements.rounded

    def _sizes(self) -> tuple[int, int]:
        shape = (1, 1, *self._cells.shape)
        return shape[-2], shape[-1]

    def _announce_all_cells(self) -> None:
        rows, columns = self._sizes()
        if rows and columns:
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, columns - 1))

    def _sentence(self, text: str) -> str:
        try:
            return parse_element(text, self._dtype)[1]
        except FieldError as error:
            return str(error)

    def rowCount(self, parent: CellsModelIndex | None = None) -> int:
        """Number of rows of the plane."""
        inside = parent is not None and parent.isValid()
        return 0 if inside or not math.prod(self._cells.shape) else self._sizes()[0]

    def columnCount(self, parent: CellsModelIndex | None = None) -> int:
        """Number of columns of the plane."""
        inside = parent is not None and parent.isValid()
        return 0 if inside or not math.prod(self._cells.shape) else self._sizes()[1]

    def data(self, index: CellsModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text of an element, or the sentence on its problem, depending on the role."""
        text = self._cells.texts[self.position(index.row(), index.column())]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return text
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self._sentence(text))
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return self._sentence(text)
            case Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignCenter
            case _:
                return None

    def setData(
        self, index: CellsModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Report what was typed."""
        if role != Qt.ItemDataRole.EditRole:
            return False
        position = self.position(index.row(), index.column())
        if value != self._cells.texts[position]:
            self.typed.emit(position, str(value))
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Row and column indices, counted from 0."""
        return str(section) if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: CellsModelIndex) -> Qt.ItemFlag:
        """Make every element editable."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

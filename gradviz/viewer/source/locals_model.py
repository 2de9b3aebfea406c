"""The local variables of the running function as a Qt table model."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
)

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.phrases import shape_text
from gradviz.model.sentences.values import is_array
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.source.ran import Local
from gradviz.viewer.source.values import Elements, item_text
from gradviz.viewer.tensor_view.describe import spoken
from gradviz.viewer.widgets.plain_text import plain_tooltip

_Place = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ROLE = Qt.ItemDataRole


class LocalsModel(QAbstractTableModel):
    """One row per variable with its name and value."""

    def __init__(self) -> None:
        super().__init__()
        self._index: Index | None = None
        self._elements: Elements = lambda _: None
        self._locals: tuple[Local, ...] = ()

    @property
    def rows(self) -> tuple[Local, ...]:
        """The variables shown."""
        return self._locals

    def show_locals(self, index: Index, rows: tuple[Local, ...], elements: Elements) -> None:
        """Show variables; if their number is unchanged, update the rows without a reset."""
        self._index, self._elements = index, elements
        if len(rows) == len(self._locals):
            self._locals = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 1))
            return
        self.beginResetModel()
        self._locals = rows
        self.endResetModel()

    def clear(self) -> None:
        """Remove all rows."""
        self.beginResetModel()
        self._index, self._locals = None, ()
        self.endResetModel()

    def local(self, row: int) -> Local | None:
        """Return the variable in a row, or None if there is no such row."""
        return self._locals[row] if 0 <= row < len(self._locals) else None

    def record(self, row: int) -> TensorRecord | None:
        """Return the tensor record of a row, or None if its value is not a tensor."""
        local = self.local(row)
        if local is None or self._index is None or local.item.tensor is None:
            return None
        known = local.item.tensor in self._index.tensor
        return self._index.tensor[local.item.tensor] if known else None

    def value_text(self, row: int) -> str:
        """Return the value as text; for a tensor, shape, numbers and dtype."""
        local, record = self.local(row), self.record(row)
        if local is None or self._index is None:
            return ""
        text = item_text(self._index, local.item, self._elements)
        if record is None:
            return text
        return f"{text} · {record.dtype}"

    def is_numpy(self, row: int) -> bool:
        """Return whether the value is a NumPy array, which autograd does not track."""
        local = self.local(row)
        return local is not None and is_array(local.item)

    def tip(self, row: int) -> str:
        """Return the full description of a variable, for tooltips and screen readers."""
        local, record = self.local(row), self.record(row)
        if local is None:
            return ""
        item: Item = local.item
        told = spoken(item.name, record) if record is not None else None
        text = told or _tr("{name}: {value}").format(name=item.name, value=self.value_text(row))
        if self.is_numpy(row):
            text = _tr("{text} (NumPy: not tracked by autograd)").format(text=text)
        if local.fresh:
            text = _tr("{text}; set by this line").format(text=text)
        return text

    def kind_text(self, row: int) -> str:
        """Return a tensor's shape, dtype and non-CPU device; empty for other values."""
        record = self.record(row)
        if record is None:
            return ""
        kind = f"{shape_text(record.shape)} {record.dtype}"
        return kind if record.device == "cpu" else f"{kind} · {record.device}"

    def data(self, index: _Place, role: int = _ROLE.DisplayRole) -> object:
        """Return the name, value, tooltip or accessible text of a cell."""
        local = self.local(index.row())
        if local is None:
            return None
        if role == _ROLE.DisplayRole:
            return local.item.name if index.column() == 0 else self.value_text(index.row())
        if role == _ROLE.AccessibleTextRole:
            return self.tip(index.row())
        if role == _ROLE.ToolTipRole:
            return plain_tooltip(self.tip(index.row()))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> object:
        """Return the title of a column."""
        if role != _ROLE.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return _tr("Name") if section == 0 else _tr("Value")

    def rowCount(self, parent: _Place = _ROOT) -> int:
        """Return the number of variables."""
        return 0 if parent.isValid() else len(self._locals)

    def columnCount(self, parent: _Place = _ROOT) -> int:
        """Return 2: name and value."""
        return 0 if parent.isValid() else 2


def _tr(text: str) -> str:
    return QCoreApplication.translate("Source", text)

"""The outline as a Qt item model; texts of rows are created when they are shown."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from gradviz.model.index import Index
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.outline.tree import Entry, outline_of
from gradviz.viewer.outline.words import Words, module_now, words_of
from gradviz.viewer.widgets.plain_text import plain_tooltip

Place = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_STATE, _PROBLEM = 1, 3
_ROW_HEIGHT = 26


class OutlineModel(QAbstractItemModel):
    """Item model of the nodes and modules of a trace at one step."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._index: Index | None = None
        self._number = 0
        self._told = 0
        self._hits: frozenset[int] = frozenset()
        self._entries: tuple[Entry, ...] = ()
        self._top: tuple[int, ...] = ()
        self._rows: dict[int, int] = {}
        self._around: frozenset[int] = frozenset()
        self._words: dict[int, Words] = {}
        self._titles = (
            self.tr("Name"),
            self.tr("State"),
            self.tr("Gradient"),
            self.tr("Problem"),
            self.tr("Kind"),
        )

    def show_index(self, index: Index | None) -> None:
        """Show another trace."""
        self.beginResetModel()
        self._index = index
        self._entries = () if index is None else outline_of(index)
        self._top = tuple(at for at, entry in enumerate(self._entries) if entry.parent < 0)
        self._rows = {
            entry.node: at for at, entry in enumerate(self._entries) if entry.node is not None
        }
        self._words = {}
        self._around = frozenset()
        self.endResetModel()

    def show_step(self, number: int, told: int) -> None:
        """Show another step; problems are shown up to the step ``told``."""
        self._number, self._told = number, told
        self._around = frozenset() if self._index is None else module_now(self._index, number)
        self._refresh()

    def show_hits(self, hits: frozenset[int]) -> None:
        """Highlight the nodes that a search found."""
        self._hits = hits
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colors of another theme."""
        self._theme = theme
        self._refresh()

    def node_at(self, place: Place) -> int | None:
        """The node of a row; None for a module or group."""
        return self._entries[place.internalId()].node if place.isValid() else None

    def place_of(self, node: int | None) -> QModelIndex:
        """The index of a node's row; an invalid index for None."""
        if node is None or node not in self._rows:
            return QModelIndex()
        row = self._rows[node]
        return self.createIndex(self._entries[row].at, 0, row)

    def sentence_at(self, place: Place) -> str:
        """A whole row as a sentence."""
        words = self._words_at(place.internalId()).sentence
        if self.node_at(place) in self._hits:
            return self.tr("{0}, found").format(words)
        return words

    def _refresh(self) -> None:
        """Discard cached texts and notify the views, which only query visible rows."""
        self._words = {}
        if self._top:
            first = self.index(0, 0)
            last = self.index(len(self._top) - 1, len(self._titles) - 1)
            self.dataChanged.emit(first, last)

    def _words_at(self, row: int) -> Words:
        assert self._index is not None
        if row not in self._words:
            entry = self._entries[row]
            self._words[row] = words_of(self._index, entry, self._number, self._told)
        return self._words[row]

    def _is_now(self, row: int) -> bool:
        entry = self._entries[row]
        if entry.module is not None:
            return entry.module in self._around
        return entry.node is not None and self._words_at(row).state == self.tr("now")

    def _font(self, row: int) -> QFont | None:
        return self._theme.font(bold=True) if self._is_now(row) else None

    def index(self, row: int, column: int, parent: Place = _ROOT) -> QModelIndex:
        """The index of a cell."""
        inside = self._entries[parent.internalId()].children if parent.isValid() else self._top
        if not (0 <= row < len(inside) and 0 <= column < len(self._titles)):
            return QModelIndex()
        return self.createIndex(row, column, inside[row])

    def parent(self, place: Place = _ROOT) -> QModelIndex:  # type: ignore[override]
        """The index of a row's parent row."""
        around = self._entries[place.internalId()].parent if place.isValid() else -1
        return (
            QModelIndex() if around < 0 else self.createIndex(self._entries[around].at, 0, around)
        )

    def rowCount(self, parent: Place = _ROOT) -> int:
        """Number of rows inside a row."""
        if not parent.isValid():
            return len(self._top)
        return len(self._entries[parent.internalId()].children) if parent.column() == 0 else 0

    def columnCount(self, parent: Place = _ROOT) -> int:
        """Number of columns: name, state, gradient, problem and kind."""
        return len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The titles of the columns."""
        across = orientation == Qt.Orientation.Horizontal
        return self._titles[section] if across and role == Qt.ItemDataRole.DisplayRole else None

    def data(self, place: Place, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Text, tooltip, accessible text, font or colors of a cell, depending on the role."""
        if not place.isValid():
            return None
        row, column = place.internalId(), place.column()
        text = self._words_at(row).cells[column]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.tr("now inside") if self._says_inside(row, column) else text
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.sentence_at(place) if column == 0 else text)
            case Qt.ItemDataRole.AccessibleTextRole:
                # Screen readers read the first cell of a row, so it contains the whole row.
                return self.sentence_at(place) if column == 0 else text
            case Qt.ItemDataRole.FontRole:
                return self._font(row)
            case Qt.ItemDataRole.BackgroundRole if self._entries[row].node in self._hits:
                return self._theme.colour("search_hit")
            case Qt.ItemDataRole.ForegroundRole if column == _PROBLEM:
                return self._theme.colour("error")
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, self._theme.px(_ROW_HEIGHT))
            case _:
                return None

    def _says_inside(self, row: int, column: int) -> bool:
        return column == _STATE and self._entries[row].module in self._around

"""The breakpoints as the rows of a table: what, how often and where, and what is to be said."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt

from gradviz.model.breakpoints.point import Breakpoint
from gradviz.viewer.breakpoints.breakpoints import Breakpoints
from gradviz.viewer.breakpoints.words import hits_text, note_of, title_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.plain_text import plain_tooltip

Place = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ROW_HEIGHT = 26
_HITS, _NOTE = 1, 2
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class BreakpointRows(QAbstractTableModel):
    """One row for each breakpoint; its box tells whether it is stopped at."""

    def __init__(self, state: ViewerState, breakpoints: Breakpoints) -> None:
        super().__init__(breakpoints)
        self._state = state
        self._breakpoints = breakpoints
        self._points: tuple[Breakpoint, ...] = breakpoints.points
        self._titles = (self.tr("Stop at"), self.tr("Hits"), self.tr("Note"))

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """What is listed."""
        return self._points

    def refresh(self) -> None:
        """Shows them as they are now."""
        points = self._breakpoints.points
        if [each.target for each in points] != [each.target for each in self._points]:
            self.beginResetModel()
            self._points = points
            self.endResetModel()
        elif points:
            self._points = points
            self.dataChanged.emit(self.index(0, 0), self.index(len(points) - 1, _NOTE))

    def text(self, row: int, column: int) -> str:
        """What stands in a cell."""
        target = self._points[row].target
        found = self._breakpoints.found(target)
        if column == _HITS and self._state.index is None:
            return ""
        if column == _HITS:
            if found is not None and not found.places and self._is_kept_back():
                return self.tr("none yet")
            return hits_text(found, self._state.place)
        if column == _NOTE:
            changed = self._breakpoints.line_change(target) == "changed"
            note = self.tr("The line has changed since it was set.") if changed else ""
            told = "" if self._is_kept_back() else note_of(target, found)
            return " ".join(filter(None, (note, told)))
        return title_of(target, self._state.index)

    def _is_kept_back(self) -> bool:
        """Whether a room has still to guess what comes."""
        return self._state.told < self._state.count

    def rowCount(self, parent: Place = _ROOT) -> int:
        """How many there are."""
        return 0 if parent.isValid() else len(self._points)

    def columnCount(self, parent: Place = _ROOT) -> int:
        """How many columns there are."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """The titles of the columns."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def flags(self, index: Place) -> Qt.ItemFlag:
        """The first cell of a row has a box."""
        box = Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | box

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts, box and colours."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(row, column)
            case Qt.ItemDataRole.CheckStateRole:
                enabled = self._points[row].enabled
                return (_CHECKED if enabled else _UNCHECKED) if column == 0 else None
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.text(row, column))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.sentence(row) if column == 0 else self.text(row, column)
            case Qt.ItemDataRole.ForegroundRole:
                plain = column != _NOTE and self._points[row].enabled
                return None if plain else self._state.theme.colour("text_muted")
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, self._state.theme.px(_ROW_HEIGHT))
            case _:
                return None

    def sentence(self, row: int) -> str:
        """The whole row in words, for whoever hears it."""
        parts = [self.text(row, column) for column in range(len(self._titles))]
        if not self._points[row].enabled:
            parts.append(self.tr("switched off"))
        return ", ".join(filter(None, parts))

    def setData(self, index: Place, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Switches one on or off."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        enabled = Qt.CheckState(value) == _CHECKED
        self._breakpoints.set_enabled(self._points[index.row()].target, enabled)
        return True

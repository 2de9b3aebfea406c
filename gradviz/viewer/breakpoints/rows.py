"""Table model of the breakpoints: what to stop at, hits, and a note."""

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
    """One row for each breakpoint; its check box enables or disables it."""

    def __init__(self, state: ViewerState, breakpoints: Breakpoints) -> None:
        super().__init__(breakpoints)
        self._state = state
        self._breakpoints = breakpoints
        self._points: tuple[Breakpoint, ...] = breakpoints.points
        self._titles = (self.tr("Stop at"), self.tr("Hits"), self.tr("Note"))

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that are listed."""
        return self._points

    def refresh(self) -> None:
        """Update the rows to the current breakpoints and hits."""
        points = self._breakpoints.points
        if [each.target for each in points] != [each.target for each in self._points]:
            self.beginResetModel()
            self._points = points
            self.endResetModel()
        elif points:
            self._points = points
            self.dataChanged.emit(self.index(0, 0), self.index(len(points) - 1, _NOTE))

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
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
            note = self.tr("The line has changed since the breakpoint was set.") if changed else ""
            told = "" if self._is_kept_back() else note_of(target, found)
            return " ".join(filter(None, (note, told)))
        return title_of(target, self._state.index)

    def _is_kept_back(self) -> bool:
        """Return whether quiz mode still hides some steps."""
        return self._state.told < self._state.count

    def rowCount(self, parent: Place = _ROOT) -> int:
        """Return the number of breakpoints."""
        return 0 if parent.isValid() else len(self._points)

    def columnCount(self, parent: Place = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return the column titles."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def flags(self, index: Place) -> Qt.ItemFlag:
        """Make the first cell of each row checkable."""
        box = Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | box

    def data(self, index: Place, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, check state, tooltip and color of a cell."""
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
        """Return the whole row as one text for screen readers."""
        parts = [self.text(row, column) for column in range(len(self._titles))]
        if not self._points[row].enabled:
            parts.append(self.tr("disabled"))
        return ", ".join(filter(None, parts))

    def setData(self, index: Place, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Enable or disable a breakpoint by its check box."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        enabled = Qt.CheckState(value) == _CHECKED
        self._breakpoints.set_enabled(self._points[index.row()].target, enabled)
        return True

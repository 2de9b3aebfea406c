"""A scrolling table of the numbers of a plane, for planes whose numbers fit no heatmap."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gradviz.catalogue.numbers import exact_number, number_text
from gradviz.drawing.appearance.color_map import colors_of_values, current_color_map
from gradviz.drawing.appearance.palette import ColorMapName, PaletteTheme
from gradviz.drawing.cells.cell_marks import non_finite_role
from gradviz.drawing.cells.layout import ink_on
from gradviz.drawing.cells.plane import Plane, subscript
from gradviz.viewer.local_keys import LARGE_TENSOR_KEYS, pressed
from gradviz.viewer.tensor_view.small.heatmap import HeatmapCell
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.plain_text import plain_tooltip

_Index = QModelIndex | QPersistentModelIndex

_DIGITS = 6
_MEASURED = 400
_NOWHERE = QModelIndex()
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class NumberModel(QAbstractTableModel):
    """Table model of one plane; formats each element when it is first shown."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.plane: Plane | None = None
        self._limit = 0.0
        self._name = ""

    def show_plane(self, plane: Plane, limit: float, name: str) -> None:
        """Show another plane, in colors from ``-limit`` to ``limit``."""
        self.beginResetModel()
        self.plane, self._limit, self._name = plane, limit, name
        self.endResetModel()

    def element_text(self, cell: HeatmapCell) -> str:
        """The element with its exact value: ``weight[1, 0] = 2.0``."""
        if self.plane is None:
            return ""
        element = subscript(self._name, self.plane.index(*cell))
        return f"{element} = {exact_number(self.plane.elements[cell])}"

    def _ground(self, cell: HeatmapCell) -> QColor:
        heat = 0.0 if self.plane is None else float(self.plane.heat[cell])
        role = non_finite_role(heat)
        if role is not None:
            return self._theme.color(role)
        return _color(
            round(heat / self._limit * 255) if self._limit > 0 else 0,
            current_color_map(),
            self._theme.name,
        )

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Number of rows of the plane."""
        # Cells have no children; otherwise Qt would take the model for a tree.
        return 0 if parent.isValid() or self.plane is None else self.plane.rows

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        """Number of columns of the plane."""
        return 0 if parent.isValid() or self.plane is None else self.plane.columns

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment, colors or accessible text of an element, depending on the role."""
        if self.plane is None or not index.isValid():
            return None
        cell = index.row(), index.column()
        roles = Qt.ItemDataRole
        match role:
            case roles.DisplayRole:
                return number_text(self.plane.values[cell], _DIGITS)
            case roles.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case roles.BackgroundRole:
                return self._ground(cell)
            case roles.ForegroundRole:
                return QColor(ink_on(self._ground(cell).name()))
            case roles.ToolTipRole:
                return plain_tooltip(self.element_text(cell))
            case roles.AccessibleTextRole:
                return self.element_text(cell)
            case _:
                return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """The index of a row or column in the whole tensor."""
        if role != Qt.ItemDataRole.DisplayRole or self.plane is None:
            return None
        down = orientation == Qt.Orientation.Vertical
        axis = self.plane.cut.rows if down else self.plane.cut.columns
        return str(section * self.plane.steps[axis]) if axis is not None else ""


class NumberTable(QTableView):
    """A table of numbers with a cursor by mouse and keyboard.

    Signals:
        cursor_moved: ``(row, column)`` of the current cell, or None.
        picked: Index of an element that was clicked or chosen with Enter; None for Escape.
        copy_requested: Copying the tensor was requested.
    """

    cursor_moved = Signal(object)
    picked = Signal(object)
    copy_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._numbers = NumberModel(theme, self)
        self.setModel(self._numbers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        # Tab must leave the table, or it would have to pass through every cell.
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        # By default Qt scrolls by whole columns.
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            # With sizes that follow the contents, Qt would measure every row and column.
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setSectionsClickable(False)
        self.clicked.connect(self._pick)
        FocusRing(self)
        self.update_theme()

    @property
    def plane(self) -> Plane | None:
        """The plane that is shown; None before the first one."""
        return self._numbers.plane

    @property
    def cursor_cell(self) -> HeatmapCell | None:
        """The cell of the cursor; None without one."""
        index = self.currentIndex()
        return (index.row(), index.column()) if index.isValid() else None

    def show_plane(self, plane: Plane, limit: float, name: str) -> None:
        """Show another plane, in colors from ``-limit`` to ``limit``."""
        self._numbers.show_plane(plane, limit, name)
        self.setAccessibleName(self.tr("Numbers of {name}").format(name=name))
        self._fit_columns()

    def move_cursor(self, cell: HeatmapCell | None) -> None:
        """Move the cursor to a cell and scroll to it, or remove the cursor."""
        index = self._numbers.index(*cell) if cell is not None else _NOWHERE
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, flag)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        font = self._theme.font(SMALL_PIXELS)
        for part in (self, self.horizontalHeader(), self.verticalHeader()):
            part.setFont(font)
        self.verticalHeader().setDefaultSectionSize(QFontMetrics(font).height() + self._theme.px(6))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Make all columns as wide as the widest of the first numbers."""
        plane = self._numbers.plane
        if plane is None or not plane.values.size:
            return
        metrics = QFontMetrics(self._theme.font(SMALL_PIXELS))
        # Formatting all numbers of a large plane would take too long.
        seen = plane.values[: max(1, _MEASURED // plane.columns), :_MEASURED].flat
        last = str(plane.columns * plane.steps[-1] if plane.steps else 0)
        texts = (last, *(number_text(each, _DIGITS) for each in seen))
        widest = max(metrics.horizontalAdvance(text) for text in texts)
        self.horizontalHeader().setDefaultSectionSize(widest + self._theme.px(16))

    def _pick(self, place: _Index) -> None:
        if self.plane is not None:
            self.picked.emit(self.plane.index(place.row(), place.column()))

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        """Report the new cursor cell."""
        super().currentChanged(current, previous)
        self.cursor_moved.emit((current.row(), current.column()) if current.isValid() else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Enter, Escape and the copy key; leave the others to the table."""
        if event.key() in _ENTER and self.currentIndex().isValid():
            self._pick(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.picked.emit(None)
        elif pressed(LARGE_TENSOR_KEYS, event) == "copy":
            self.copy_requested.emit()
        else:
            super().keyPressEvent(event)


# Qt asks for the color of each visible cell at every repaint.
@cache
def _color(place: int, chosen: ColorMapName, theme: PaletteTheme) -> QColor:
    """The color of a value in a color map, from -255 to 255 for the ends of the scale."""
    red, green, blue = colors_of_values(np.array([place / 255]), 1.0, theme)[0].tolist()
    return QColor(red, green, blue)

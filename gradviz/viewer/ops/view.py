"""The table in which the ops of a step are shown."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from gradviz.viewer.keys import pressed
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.ops.delegate import OpsDelegate
from gradviz.viewer.ops.model import INPUTS, LINE, NOTE, OP, OUTPUTS, TIME, OpsModel
from gradviz.viewer.widgets.focus_ring import FocusRing

_WIDTHS = {OP: 160, OUTPUTS: 76, NOTE: 122, TIME: 60, LINE: 84}
_LEAST = 48
_ROW, _HEADER = 22, 24


class OpsView(QTableView):
    """A table in which Enter goes to a row, and Right and Left step.

    Signals:
        row_requested: Number of a row that was clicked or chosen by Enter, and of the column.
        command_pressed: ``next``, ``previous`` or ``copy``.
    """

    row_requested = Signal(int, int)
    command_pressed = Signal(str)

    def __init__(self, rows: OpsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ops")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Ops of the step"))
        self.setModel(rows)
        self._delegate = OpsDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(INPUTS, QHeaderView.ResizeMode.Stretch)
        FocusRing(self)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._delegate.set_theme(theme)
        self.setFont(theme.font())
        header = self.horizontalHeader()
        header.setFont(theme.font())
        header.setFixedHeight(theme.px(_HEADER))
        header.setMinimumSectionSize(theme.px(_LEAST))
        self.verticalHeader().setMinimumSectionSize(theme.px(_ROW))
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, theme.px(width))

    def bring(self, row: int) -> None:
        """Has the keyboard's row here, in sight."""
        place = self.model().index(row, OP)
        self.setCurrentIndex(place)
        self.scrollTo(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Goes to the row that was clicked."""
        super().mouseReleaseEvent(event)
        place = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and place.isValid():
            self._request(place)

    def _request(self, place: QModelIndex) -> None:
        self.row_requested.emit(place.row(), place.column())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Goes by the table of keys; Up and Down move from row to row."""
        command = pressed("ops", event)
        if command == "go":
            if self.currentIndex().isValid():
                self._request(self.currentIndex())
        elif command in ("next", "previous", "copy"):
            self.command_pressed.emit(command)
        else:
            super().keyPressEvent(event)

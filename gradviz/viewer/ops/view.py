"""The table of the ops in a step."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from gradviz.viewer.keys import pressed
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.ops.delegate import OpsDelegate
from gradviz.viewer.ops.model import INPUTS, LINE, NOTE, OP, OUTPUTS, TIME, OpsModel
from gradviz.viewer.widgets.focus_ring import FocusRing

_WIDTHS = {OP: (160, 0.18), OUTPUTS: (70, 0.12), NOTE: (118, 0.14), TIME: (68, 0), LINE: (72, 0.08)}
"""Minimum column widths, and shares of a wide table; the inputs column gets the rest."""
_LEAST = 48
_INPUTS = 110
"""Width of the inputs column that is kept by narrowing others."""

_CUT = {OP: 116, OUTPUTS: 60, NOTE: 52}
"""Width down to which a column may be narrowed."""
_ROW, _HEADER = 22, 24


class OpsView(QTableView):
    """A table in which Enter goes to a row, and Left and Right step.

    Signals:
        row_requested: Row and column that were clicked or chosen with Enter.
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
        self.setAccessibleName(self.tr("Ops in the step"))
        self._theme = theme
        self._drawn = self._fitting = False
        self.setModel(rows)
        self._delegate = OpsDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(INPUTS, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(self._on_header_section_resized)
        FocusRing(self)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        self._delegate.set_theme(theme)
        self.setFont(theme.font())
        header = self.horizontalHeader()
        header.setFont(theme.font())
        header.setFixedHeight(theme.px(_HEADER))
        header.setMinimumSectionSize(theme.px(_LEAST))
        self.verticalHeader().setMinimumSectionSize(theme.px(_ROW))
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        self._fit()

    def _fit(self) -> None:
        """Set the column widths unless the user has resized a column."""
        if self._drawn:
            return
        self._fitting = True
        for column, width in self._widths().items():
            self.setColumnWidth(column, width)
        self._fitting = False

    def _widths(self) -> dict[int, int]:
        """Return the width of each column except inputs, reduced in a narrow table."""
        px, room = self._theme.px, self.viewport().width()
        widths = {
            column: max(px(least), round(share * room))
            for column, (least, share) in _WIDTHS.items()
        }
        wanted = sum(widths.values()) + px(_INPUTS)
        spare = sum(widths[column] - px(least) for column, least in _CUT.items())
        cut = max(0.0, min(1.0, (wanted - room) / max(1, spare)))
        for column, least in _CUT.items():
            widths[column] -= round(cut * (widths[column] - px(least)))
        return widths

    @Slot(int, int, int)
    def _on_header_section_resized(self, column: int, old: int, new: int) -> None:
        by_hand = QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton
        if by_hand and column != INPUTS and not self._fitting:
            self._drawn = True

    def bring(self, row: int) -> None:
        """Make a row current and scroll it into view."""
        place = self.model().index(row, OP)
        self.setCurrentIndex(place)
        self.scrollTo(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the columns."""
        super().resizeEvent(event)
        self._fit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit `row_requested` for the clicked row."""
        super().mouseReleaseEvent(event)
        place = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and place.isValid():
            self._request(place)

    def _request(self, place: QModelIndex) -> None:
        self.row_requested.emit(place.row(), place.column())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the commands of the key table; Up and Down move between rows."""
        command = pressed("ops", event)
        if command == "go":
            if self.currentIndex().isValid():
                self._request(self.currentIndex())
        elif command in ("next", "previous", "copy"):
            self.command_pressed.emit(command)
        else:
            super().keyPressEvent(event)

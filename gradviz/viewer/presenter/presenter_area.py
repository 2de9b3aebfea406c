"""The center of the window: its pages, or the stage in place of them, and a sheet beside them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QStackedWidget, QWidget

_PAGES, _SHEET = 58, 42
"""Shares of the width for everything else, and for a sheet beside it."""


class PresenterArea(QWidget):
    """Contains the window's pages, and in Presenter Mode what is in place of them or beside them.

    Signals:
        resized: The size of the area, or of the pages in it, has changed.
    """

    resized = Signal()

    def __init__(self, pages: QStackedWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pages = pages
        self._stage: QWidget | None = None
        self._sheet: QWidget | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.addWidget(pages, 1, 0)
        self._grid.setRowStretch(1, 1)

    def show_stage(self, stage: QWidget | None) -> None:
        """Show a widget in place of the pages; None to show the pages again."""
        if self._stage is not None and stage is not self._stage:
            self._grid.removeWidget(self._stage)
            self._stage.hide()
        self._stage = stage
        if stage is not None:
            self._grid.addWidget(stage, 1, 0)
            stage.show()
        self.pages.setVisible(stage is None)

    def show_sheet(self, sheet: QWidget | None) -> None:
        """Show a widget beside the pages.

        Args:
            sheet: The widget; None to remove it.
        """
        if self._sheet is not None:
            self._grid.removeWidget(self._sheet)
        self._sheet = sheet
        self._arrange()
        self.resized.emit()

    def _arrange(self) -> None:
        """Place a sheet with a fixed share, independent of its content."""
        grid, sheet = self._grid, self._sheet
        if sheet is not None:
            grid.addWidget(sheet, 1, 1, 2, 1)
            sheet.show()
        grid.setColumnStretch(0, _PAGES if sheet is not None else 1)
        grid.setColumnStretch(1, _SHEET if sheet is not None else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emit `resized`."""
        super().resizeEvent(event)
        self.resized.emit()

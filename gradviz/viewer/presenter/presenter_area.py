"""The center of the window; in Presenter Mode with a header above and values beside it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QStackedWidget, QWidget

_GRAPH, _VALUES = 62, 38
"""Shares of the width for the graph and the values."""


class PresenterArea(QWidget):
    """Contains the window's pages, and in Presenter Mode a header and values around them.

    Signals:
        resized: The size has changed.
    """

    resized = Signal()

    def __init__(self, pages: QStackedWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pages = pages
        self._parts: tuple[QWidget, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.addWidget(pages, 1, 0)
        self._grid.setRowStretch(1, 1)

    def surround_pages(self, head: QWidget, values: QWidget) -> None:
        """Add widgets above and beside the pages."""
        self._parts = (head, values)
        self._grid.addWidget(head, 0, 0, 1, 2)
        self._grid.addWidget(values, 1, 1)
        self.show_presenter_widgets(True)

    def show_presenter_widgets(self, shown: bool) -> None:
        """Show the widget beside the pages, or give the pages the whole width."""
        if self._parts:
            self._parts[1].setVisible(shown)
        # Fixed shares, independent of the content.
        self._grid.setColumnStretch(0, _GRAPH if shown else 1)
        self._grid.setColumnStretch(1, _VALUES if shown else 0)

    def place_below(self, row: QWidget) -> None:
        """Add a row below the pages; its creator removes it."""
        self._grid.addWidget(row, 2, 0, 1, 2)

    def clear(self) -> None:
        """Remove the added widgets and return them to their creator."""
        for part in self._parts:
            part.hide()
            self._grid.removeWidget(part)
            part.setParent(None)
        self._parts = ()
        self.show_presenter_widgets(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emit `resized`."""
        super().resizeEvent(event)
        self.resized.emit()

"""The center of the window; in Presenter Mode with a header above, and code and values beside."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

_GRAPH, _SIDE = 50, 50
"""Shares of the width for the graph, and for the code and values."""

_CODE, _VALUES = 38, 62
"""Shares of the height for the code and the values."""


class PresenterArea(QWidget):
    """Contains the window's pages, and in Presenter Mode the widgets around them.

    Signals:
        resized: The size has changed.
    """

    resized = Signal()

    def __init__(self, pages: QStackedWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pages = pages
        self._head: QWidget | None = None
        self._side: QWidget | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.addWidget(pages, 1, 0)
        self._grid.setRowStretch(1, 1)

    def surround_pages(self, head: QWidget, code: QWidget, values: QWidget) -> None:
        """Add a header above the pages, and code above values beside them."""
        self._head, self._side = head, _beside(code, values)
        self._grid.addWidget(head, 0, 0, 1, 2)
        self._grid.addWidget(self._side, 1, 1)
        self.show_presenter_widgets(True)

    def show_presenter_widgets(self, shown: bool) -> None:
        """Show the widgets beside the pages, or give the pages the whole width."""
        if self._side is not None:
            self._side.setVisible(shown)
        # Fixed shares, independent of the content.
        self._grid.setColumnStretch(0, _GRAPH if shown else 1)
        self._grid.setColumnStretch(1, _SIDE if shown else 0)

    def place_below(self, row: QWidget) -> None:
        """Add a row below the pages; its creator removes it."""
        self._grid.addWidget(row, 2, 0, 1, 2)

    def clear(self) -> None:
        """Remove the added widgets and delete them."""
        for part in (self._head, self._side):
            if part is not None:
                part.hide()
                self._grid.removeWidget(part)
                part.setParent(None)
                part.deleteLater()
        self._head = self._side = None
        self.show_presenter_widgets(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emit `resized`."""
        super().resizeEvent(event)
        self.resized.emit()


def _beside(code: QWidget, values: QWidget) -> QWidget:
    side = QWidget()
    side.setAutoFillBackground(True)
    side.setBackgroundRole(QPalette.ColorRole.Base)
    line = QFrame()
    line.setFrameShape(QFrame.Shape.VLine)
    row = QHBoxLayout(side)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    row.addWidget(line)
    column = QVBoxLayout()
    column.setSpacing(0)
    column.addWidget(code, _CODE)
    column.addWidget(values, _VALUES)
    row.addLayout(column, 1)
    # The width is a share of the window, whatever the content would prefer.
    side.setMinimumWidth(0)
    return side

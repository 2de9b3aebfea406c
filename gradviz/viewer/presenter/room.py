"""The middle of the window; while presenting, with the sentence above and the values beside it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QStackedWidget, QWidget

_GRAPH, _VALUES = 62, 38
"""Shares of the width."""


class Room(QWidget):
    """Holds the window's pages at all times, and what a room needs with them when furnished.

    Signals:
        resized: It has another size.
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

    def furnish(self, head: QWidget, values: QWidget) -> None:
        """Puts something above the pages, and something beside them."""
        self._parts = (head, values)
        self._grid.addWidget(head, 0, 0, 1, 2)
        self._grid.addWidget(values, 1, 1)
        self.show_beside(True)

    def show_beside(self, shown: bool) -> None:
        """Shows what stands beside the pages, or gives them the whole width."""
        if self._parts:
            self._parts[1].setVisible(shown)
        # Neither side may push the other away, whatever it holds.
        self._grid.setColumnStretch(0, _GRAPH if shown else 1)
        self._grid.setColumnStretch(1, _VALUES if shown else 0)

    def clear(self) -> None:
        """Leaves only the pages; what was put beside them is its maker's again."""
        for part in self._parts:
            part.hide()
            self._grid.removeWidget(part)
            part.setParent(None)
        self._parts = ()
        self.show_beside(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tells of it."""
        super().resizeEvent(event)
        self.resized.emit()

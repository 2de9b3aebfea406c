"""The center of the window; in Presenter Mode with a header, and code and values around it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

_GRAPH, _SIDE = 50, 50
"""Shares of the width for the graph, and for the code and values."""

_CODE, _VALUES = 38, 62
"""Shares of the height for the code and the values."""

_CURVES = 20
"""Share of the height for a plot below the values, in addition to these."""

_PAGES, _SHEET = 58, 42
"""Shares of the width for everything else, and for a sheet beside it."""


class PresenterArea(QWidget):
    """Contains the window's pages, and in Presenter Mode the widgets around them.

    Signals:
        resized: The size of the area, or of the pages in it, has changed.
    """

    resized = Signal()

    def __init__(self, pages: QStackedWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pages = pages
        self._head: QWidget | None = None
        self._side: QWidget | None = None
        self._column: QVBoxLayout | None = None
        self._values: QWidget | None = None
        self._sheet: QWidget | None = None
        self._side_shown = False
        self._stacked = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.addWidget(pages, 1, 0)
        self._grid.setRowStretch(1, 1)

    def surround_pages(self, head: QWidget, code: QWidget, values: QWidget) -> None:
        """Add a header above the pages, and code above values beside them."""
        self._head, self._values = head, values
        self._side, self._column = _beside(code, values)
        self._grid.addWidget(head, 0, 0, 1, 2)
        self.show_presenter_widgets(True)

    def show_presenter_widgets(self, shown: bool) -> None:
        """Show the widgets beside the pages, or give the pages the whole width."""
        self._side_shown = shown
        self._arrange()

    def show_sheet(self, sheet: QWidget | None) -> None:
        """Show a widget beside everything below the header, with the code below the pages.

        Args:
            sheet: The widget, which takes the space of the values; None to remove it.
        """
        if self._sheet is not None:
            self._grid.removeWidget(self._sheet)
        self._sheet = sheet
        self._arrange()
        self.resized.emit()

    def add_below_values(self, widget: QWidget) -> None:
        """Add a plot below the values; its creator removes it."""
        if self._column is not None:
            self._column.addWidget(widget, _CURVES)
            widget.show()

    def _arrange(self) -> None:
        """Place everything with fixed shares, independent of the content."""
        grid, sheet, side = self._grid, self._sheet, self._side
        shown = self._side_shown and side is not None
        if side is not None:
            grid.removeWidget(side)
            grid.addWidget(side, *((1, 1) if sheet is None and not self._stacked else (2, 0)))
            side.setVisible(shown)
        if self._values is not None:
            self._values.setVisible(sheet is None)
        if sheet is not None:
            grid.addWidget(sheet, 1, 1, 2, 1)
            sheet.show()
        left, right = (_PAGES, _SHEET) if sheet is not None else (_GRAPH, _SIDE)
        is_divided = (shown and not self._stacked) or sheet is not None
        grid.setColumnStretch(0, left if is_divided else 1)
        grid.setColumnStretch(1, right if is_divided else 0)
        is_below = shown and (self._stacked or sheet is not None)
        grid.setRowStretch(2, 1 if is_below else 0)

    def place_below(self, row: QWidget) -> None:
        """Add a row below the pages; its creator removes it."""
        self._grid.addWidget(row, 3, 0, 1, 2)

    def clear(self) -> None:
        """Remove the added widgets and delete them."""
        for part in (self._head, self._side):
            if part is not None:
                part.hide()
                self._grid.removeWidget(part)
                part.setParent(None)
                part.deleteLater()
        self._head = self._side = self._column = self._values = None
        self.show_presenter_widgets(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the graph and its code and values in a tall window, and emit `resized`."""
        super().resizeEvent(event)
        stacked = event.size().height() > event.size().width()
        if stacked != self._stacked:
            self._stacked = stacked
            self._arrange()
        self.resized.emit()


def _beside(code: QWidget, values: QWidget) -> tuple[QWidget, QVBoxLayout]:
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
    return side, column

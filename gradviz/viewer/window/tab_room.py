"""Hides docks while a central tab needs their space."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from gradviz.viewer.window.docks import Docks


class TabRoom(QObject):
    """Hides docks for a tab and remembers how they were arranged."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._taken: list[tuple[QDockWidget, bool]] = []

    def take(self, wanted: Qt.DockWidgetArea) -> None:
        """Hide the docks in some areas.

        The guide stays if it is being read, as it may have led here; the docks on the left are then
        hidden in its place if the bottom area is wanted, too.
        """
        self.give_back()
        area = Qt.DockWidgetArea
        read = _is_in_front(self._docks["guide"])
        if read and wanted & area.BottomDockWidgetArea:
            wanted |= area.LeftDockWidgetArea
        for dock in self._docks.all():
            there = not dock.isHidden() and not dock.isFloating()
            kept = read and dock is self._docks["guide"]
            if there and not kept and self._window.dockWidgetArea(dock) & wanted:
                self._taken.append((dock, _is_in_front(dock)))
        for dock, _ in self._taken:
            dock.hide()

    def give_back(self) -> None:
        """Show the hidden docks again and raise those that were in front."""
        taken, self._taken = self._taken, []
        for dock, _ in taken:
            dock.show()
        for dock, in_front in taken:
            if in_front:
                dock.raise_()


def _is_in_front(dock: QDockWidget) -> bool:
    return dock.isVisible() and not dock.visibleRegion().isEmpty()

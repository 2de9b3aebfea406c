"""The room that a tab takes from the panels around it, and gives back."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from gradviz.viewer.window.docks import Docks


class TabRoom(QObject):
    """Hides docks while a tab needs their room; how they stood is remembered."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._taken: list[tuple[QDockWidget, bool]] = []

    def take(self, wanted: Qt.DockWidgetArea) -> None:
        """Hides what stands in some areas.

        The guide stays where it is being read, since it may have led here. Where even the bottom is
        wanted, what stands at the left then goes instead.
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
        """Shows them again, in front what was in front."""
        taken, self._taken = self._taken, []
        for dock, _ in taken:
            dock.show()
        for dock, in_front in taken:
            if in_front:
                dock.raise_()


def _is_in_front(dock: QDockWidget) -> bool:
    return dock.isVisible() and not dock.visibleRegion().isEmpty()

"""The source below the graph, while a room is led through its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow

_SHARE = 0.36
"""Of the window's height."""


class SourceShelf(QObject):
    """Shows the source where steps go from line to line or from op to op, else leaves the room."""

    def __init__(self, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._presenting = False
        window.state.place_changed.connect(self._on_state_place_changed)

    def start(self) -> None:
        """Presenting begins; all docks are hidden."""
        self._presenting = True
        self.show_if_wanted()

    def stop(self) -> None:
        """Presenting ends; whoever folded the docks puts them back."""
        self._presenting = False

    def show_if_wanted(self) -> None:
        """Shows or hides it, as where we are asks for."""
        if not self._presenting:
            return
        window, dock = self._window, self._window.docks["source"]
        on_graph = window.room.pages.currentWidget() is window.graph
        wanted = on_graph and window.state.level in ("line", "op")
        if wanted == dock.isVisible():
            return
        dock.setVisible(wanted)
        if wanted:
            dock.raise_()
            height = round(window.height() * _SHARE)
            window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    @Slot(object)
    def _on_state_place_changed(self, place: object) -> None:
        self.show_if_wanted()

"""The source dock below the graph in Presenter Mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow

_SHARE = 0.36
"""Share of the window's height."""


class SourceShelf(QObject):
    """Shows the source while stepping by lines or ops, and hides it otherwise."""

    def __init__(self, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._presenting = False
        window.state.place_changed.connect(self._on_state_place_changed)

    def start(self) -> None:
        """Start following the place, after all docks were hidden."""
        self._presenting = True
        self.show_if_wanted()

    def stop(self) -> None:
        """Stop following; the dock stays as it is until the layout is restored."""
        self._presenting = False

    def show_if_wanted(self) -> None:
        """Show or hide the dock, depending on the page and the stepping level."""
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

"""Hides the menus, bars and docks around the window's center, and restores them exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Qt, Slot
from PySide6.QtGui import QAction, QScreen
from PySide6.QtWidgets import QDockWidget, QMenu, QMenuBar, QWidget

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.state import ViewerState

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow


_SHARE = 0.36
"""Share of the window's height."""


class PresenterSource(QObject):
    """Shows the source while stepping by lines or ops, and hides it otherwise."""

    def __init__(self, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._presenting = False
        self._state = window.parts[ViewerState]
        self._graph, self._area = window.parts[GraphPanel], window.parts[PresenterArea]
        self._state.place_changed.connect(self._on_state_place_changed)

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
        on_graph = self._area.pages.currentWidget() is self._graph
        wanted = on_graph and self._state.level in ("line", "op")
        if wanted == dock.isVisible():
            return
        dock.setVisible(wanted)
        if wanted:
            # Below the graph, large lines are whole; leaving restores its place.
            window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
            height = round(window.height() * _SHARE)
            window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    @Slot(object)
    def _on_state_place_changed(self, place: object) -> None:
        self.show_if_wanted()


class WindowChrome(QObject):
    """The window's menus, bars, docks and geometry."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._window_state = Qt.WindowState.WindowNoState
        self._geometry = QRect()
        self._hidden: list[QWidget] = []
        self._overlaid: QDockWidget | None = None
        self._commands: list[QAction] = []

    def fold(self) -> None:
        """Hide everything and remember its state."""
        window = self._window
        self._window_state, self._geometry = window.windowState(), window.geometry()
        window.arrangement.hold()
        self._overlaid = window.sides.overlay.shown
        bars = (window.menuBar(), window.top, window.sides.rail)
        self._hidden = [bar for bar in bars if not bar.isHidden()]
        # Shortcuts of a hidden menu do not work, so add the commands to the window.
        self._commands = [each for each in _commands_in(window.menuBar()) if each.shortcuts()]
        window.addActions(self._commands)
        for bar in self._hidden:
            bar.hide()
        # Detached tensor windows are docks too.
        for dock in window.findChildren(QDockWidget):
            dock.hide()

    def hide_docks(self) -> None:
        """Hide the docks around the center again."""
        for dock in self._window.docks.all():
            dock.hide()

    def unfold(self) -> None:
        """Restore everything."""
        window = self._window
        for bar in self._hidden:
            bar.show()
        self._hidden = []
        for command in self._commands:
            window.removeAction(command)
        self._commands = []
        self._restore_geometry()
        window.arrangement.release()
        if self._overlaid is not None:
            self._overlaid.show()

    def _restore_geometry(self) -> None:
        """Restore the window's geometry exactly, overriding Qt's adjustments."""
        window = self._window
        if window.windowState() != self._window_state:
            window.setWindowState(self._window_state)
        filling = Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen
        if not self._window_state & filling and window.geometry() != self._geometry:
            window.setGeometry(self._geometry)

    def go_to(self, screen: QScreen | None, *, full_screen: bool) -> None:
        """Move the window to a screen, optionally full screen."""
        window = self._window
        if screen is not None and screen is not window.screen():
            window.setWindowState(Qt.WindowState.WindowNoState)
            window.setGeometry(screen.availableGeometry())
            window.setScreen(screen)
        if full_screen:
            window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)


def _commands_in(bar: QMenuBar) -> Iterator[QAction]:
    for menu in bar.findChildren(QMenu):
        yield from menu.actions()

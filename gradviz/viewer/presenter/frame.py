"""What surrounds the middle of the window: folded away for the room, put back exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QAction, QScreen
from PySide6.QtWidgets import QDockWidget, QMenu, QMenuBar, QWidget

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow


class Frame(QObject):
    """Menus, bars and docks, and the window's own place on the screen."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._window_state = Qt.WindowState.WindowNoState
        self._geometry = QRect()
        self._hidden: list[QWidget] = []
        self._commands: list[QAction] = []

    def fold(self) -> None:
        """Hides everything, and remembers how it stood."""
        window = self._window
        self._window_state, self._geometry = window.windowState(), window.geometry()
        window.arrangement.hold()
        bars = (window.menuBar(), window.top, window.statusBar())
        self._hidden = [bar for bar in bars if not bar.isHidden()]
        # Commands whose menu cannot be seen would not hear their keys.
        self._commands = [each for each in _commands_in(window.menuBar()) if each.shortcuts()]
        window.addActions(self._commands)
        for bar in self._hidden:
            bar.hide()
        # Tensors in windows of their own are docks too.
        for dock in window.findChildren(QDockWidget):
            dock.hide()

    def fold_docks(self) -> None:
        """Hides what stands around the middle, if something has shown it again."""
        for dock in self._window.docks.all():
            dock.hide()

    def unfold(self) -> None:
        """Puts everything back."""
        window = self._window
        for bar in self._hidden:
            bar.show()
        self._hidden = []
        for command in self._commands:
            window.removeAction(command)
        self._commands = []
        self._come_back()
        window.arrangement.release()

    def _come_back(self) -> None:
        """Puts the window itself where it was; not where Qt thinks that it would fit better."""
        window = self._window
        if window.windowState() != self._window_state:
            window.setWindowState(self._window_state)
        filling = Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen
        if not self._window_state & filling and window.geometry() != self._geometry:
            window.setGeometry(self._geometry)

    def go_to(self, screen: QScreen | None, *, full_screen: bool) -> None:
        """Moves the window to a screen, and lets it fill that."""
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

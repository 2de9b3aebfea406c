"""Hides the menus, bars and docks around the window's center, and restores them exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QScreen
from PySide6.QtWidgets import QDockWidget, QMenu, QMenuBar, QWidget

from gradviz.viewer.widgets.wayland import is_wayland

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow


_UNLIMITED = (1 << 24) - 1
"""Qt's own largest size of a widget."""


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
        # Shortcuts of a hidden menu do not work, so add the commands to the window; also those
        # without keys, as a lesson gives keys to its commands when it begins.
        # Those that edit the hidden inputs stay without keys.
        unseen = (window.commands.undo, window.commands.redo)
        commands = _commands_in(window.menuBar())
        self._commands = [each for each in commands if each not in unseen]
        window.addActions(self._commands)
        for bar in self._hidden:
            bar.hide()
        # Not hidden, as a new message would show it again; the header says what ends here.
        window.messages.setMaximumHeight(0)
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
        window.messages.setMaximumHeight(_UNLIMITED)
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
        if self._window_state & filling or window.geometry() == self._geometry:
            return
        if is_wayland():
            # The compositor resizes the window later.
            window.installEventFilter(self)
        else:
            window.setGeometry(self._geometry)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Correct the size after full screen on Wayland, from which Qt subtracts its frame."""
        if event.type() == QEvent.Type.Resize:
            self._window.removeEventFilter(self)
            if not self._window.isFullScreen():
                QTimer.singleShot(0, self._window, self._restore_size)
        return False

    @Slot()
    def _restore_size(self) -> None:
        self._window.resize(self._geometry.size())

    def go_to(self, screen: QScreen | None, *, full_screen: bool) -> QScreen | None:
        """Move the window to a screen, optionally full screen.

        Returns:
            The screen that the window is on then, if it is known.
        """
        window = self._window
        if is_wayland():
            # Qt may be wrong about the current screen, but the compositor fills the one it is told.
            screen = screen or window.screen()
            # A window that fills a screen stays there.
            window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)
            window.setScreen(screen)
        elif screen is not None and screen is not window.screen():
            window.setWindowState(Qt.WindowState.WindowNoState)
            window.setGeometry(screen.availableGeometry())
            window.setScreen(screen)
        if full_screen:
            window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
        if is_wayland():
            return screen if full_screen else None
        return window.screen()


def _commands_in(bar: QMenuBar) -> Iterator[QAction]:
    for menu in bar.findChildren(QMenu):
        yield from menu.actions()

"""What a program may not do on Wayland, where the compositor places all windows."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QDockWidget


def is_wayland() -> bool:
    """Whether the compositor places all windows, so that a position is neither known nor set.

    It ends a program that sets the size of a maximized window.
    """
    return QGuiApplication.platformName().startswith("wayland")


class FloatingDockMover(QObject):
    """Lets the compositor move a floating dock by its title, as Qt cannot."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._dock = dock
        dock.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Begin to move the dock when its title is pressed."""
        if event.type() != QEvent.Type.MouseButtonPress or not self._dock.isFloating():
            return False
        assert isinstance(event, QMouseEvent)
        content, window = self._dock.widget(), self._dock.windowHandle()
        if event.button() != Qt.MouseButton.LeftButton or content is None:
            return False
        return event.position().y() < content.y() and window.startSystemMove()

"""Stores and restores the geometry of the window and the layout of its docks."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, QSettings, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from gradviz.viewer.window.docks import Docks

LAYOUT_VERSION = 4
"""Increased when docks change in a way that makes stored layouts invalid."""

_GEOMETRY, _STATE = "window/geometry", "window/layout"
_HANDLE = 60
"""Pixels of the title bar that must be on a screen so that the window can be moved."""


class WindowLayout(QObject):
    """Saves the initial layout when created, before the window is shown."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self._held: tuple[QByteArray, QByteArray] | None = None
        self._first = window.saveState(LAYOUT_VERSION)

    def restore(self) -> None:
        """Restore the stored geometry and layout."""
        geometry, state = (_stored(key) for key in (_GEOMETRY, _STATE))
        if geometry is not None:
            self._window.restoreGeometry(geometry)
            self._bring_on_screen()
        if state is not None:
            self._window.restoreState(state, LAYOUT_VERSION)

    def remember(self) -> None:
        """Store the geometry and layout; the held ones if there are any."""
        geometry, state = self._held or self._now()
        settings = QSettings()
        settings.setValue(_GEOMETRY, geometry)
        settings.setValue(_STATE, state)

    def hold(self) -> None:
        """Hold the current layout while another one is shown temporarily."""
        self._held = self._now()

    def release(self) -> None:
        """Restore the held layout."""
        if self._held is not None:
            _, state = self._held
            self._held = None
            self._window.restoreState(state, LAYOUT_VERSION)

    def _now(self) -> tuple[QByteArray, QByteArray]:
        return self._window.saveGeometry(), self._window.saveState(LAYOUT_VERSION)

    def _bring_on_screen(self) -> None:
        """Move the window to the primary screen if its former screen is gone."""
        frame = self._window.frameGeometry()
        head = frame.adjusted(_HANDLE, 0, -_HANDLE, 0)
        head.setHeight(_HANDLE)
        screens = QGuiApplication.screens()
        if not any(each.availableGeometry().intersects(head) for each in screens):
            room = QGuiApplication.primaryScreen().availableGeometry()
            self._window.resize(self._window.size().boundedTo(room.size()))
            frame = self._window.frameGeometry()
            frame.moveCenter(room.center())
            self._window.move(frame.topLeft())

    @Slot()
    def reset(self) -> None:
        """Restore the initial layout of the docks."""
        self._window.restoreState(self._first, LAYOUT_VERSION)
        self._docks.size()


def _stored(key: str) -> QByteArray | None:
    value = QSettings().value(key)
    return value if isinstance(value, QByteArray) else None

"""Where the window and its docks stand: remembered over starts, and put back by one command."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, QSettings, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from gradviz.viewer.window.docks import Docks

LAYOUT_VERSION = 4
"""Raised when docks change so that an old layout would not fit."""

_GEOMETRY, _STATE = "window/geometry", "window/layout"
_HANDLE = 60
"""Pixels of the window's head that must be in sight, so that it can be taken hold of."""


class WindowLayout(QObject):
    """Made when all docks stand as they do at first; the window is not shown yet."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self._held: tuple[QByteArray, QByteArray] | None = None
        self._first = window.saveState(LAYOUT_VERSION)

    def restore(self) -> None:
        """Makes window and docks stand as they did when they were remembered."""
        geometry, state = (_stored(key) for key in (_GEOMETRY, _STATE))
        if geometry is not None:
            self._window.restoreGeometry(geometry)
            self._bring_on_screen()
        if state is not None:
            self._window.restoreState(state, LAYOUT_VERSION)

    def remember(self) -> None:
        """Stores how window and docks stand, or stood when they were held."""
        geometry, state = self._held or self._now()
        settings = QSettings()
        settings.setValue(_GEOMETRY, geometry)
        settings.setValue(_STATE, state)

    def hold(self) -> None:
        """Keeps how everything stands, for as long as it stands otherwise for a while."""
        self._held = self._now()

    def release(self) -> None:
        """Makes the docks stand as they did when they were held."""
        if self._held is not None:
            _, state = self._held
            self._held = None
            self._window.restoreState(state, LAYOUT_VERSION)

    def _now(self) -> tuple[QByteArray, QByteArray]:
        return self._window.saveGeometry(), self._window.saveState(LAYOUT_VERSION)

    def _bring_on_screen(self) -> None:
        """The screen on which the window stood may be gone."""
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
        """Puts every dock back to where it stands at first."""
        self._window.restoreState(self._first, LAYOUT_VERSION)
        self._docks.size()


def _stored(key: str) -> QByteArray | None:
    value = QSettings().value(key)
    return value if isinstance(value, QByteArray) else None

"""Stores and restores the arrangement of the window."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, QSettings
from PySide6.QtWidgets import QMainWindow

from gradviz.viewer.window.docks import Docks
from gradviz.viewer.window.side_panels import SidePanels

LAYOUT_VERSION = 9
"""Increased when docks change in a way that makes stored layouts invalid."""

_GEOMETRY, _STATE = "window/geometry", "window/layout"


class WindowLayout(QObject):
    """Saves the initial layout when created, before the window is shown."""

    def __init__(self, window: QMainWindow, docks: Docks, sides: SidePanels) -> None:
        super().__init__(window)
        self._window, self._docks, self._sides = window, docks, sides
        self._held: tuple[QByteArray, QByteArray] | None = None
        self._first = window.saveState(LAYOUT_VERSION)

    def restore(self) -> None:
        """Restore the stored geometry and layout."""
        geometry, state = (_stored(key) for key in (_GEOMETRY, _STATE))
        if geometry is not None:
            # Qt moves the window to where it can be seen if its screen is gone.
            self._window.restoreGeometry(geometry)
        self._sides.restore()
        if state is not None:
            self._window.restoreState(state, LAYOUT_VERSION)
        self._docks.sizes.restore()

    def remember(self) -> None:
        """Store the geometry and layout; the held ones if there are any."""
        geometry, state = self._held or self._now()
        settings = QSettings()
        settings.setValue(_GEOMETRY, geometry)
        settings.setValue(_STATE, state)
        self._sides.remember()
        self._docks.sizes.remember()

    def hold(self) -> None:
        """Hold the current layout while another one is shown temporarily."""
        self._held = self._now()

    def release(self) -> None:
        """Restore the held layout."""
        if self._held is not None:
            _, state = self._held
            self._held = None
            self._window.restoreState(state, LAYOUT_VERSION)

    @property
    def is_held(self) -> bool:
        """Whether another layout is shown temporarily."""
        return self._held is not None

    def _now(self) -> tuple[QByteArray, QByteArray]:
        return self._window.saveGeometry(), self._window.saveState(LAYOUT_VERSION)

    def reset(self) -> None:
        """Restore the initial layout of the docks."""
        self._sides.unpin_all()
        self._window.restoreState(self._first, LAYOUT_VERSION)
        self._sides.follow(self._window.width())
        self._docks.sizes.reset()


def _stored(key: str) -> QByteArray | None:
    value = QSettings().value(key)
    # Settings files can be damaged or edited, so the value may have any type.
    return value if isinstance(value, QByteArray) else None

"""Hides the mouse pointer while it does not move."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication, QWidget

REST_MS = 3000

_MOVES = (QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class IdleCursor(QObject):
    """Watches one window; the pointer stays visible while another window is active.

    Attributes:
        hidden: Whether the pointer is hidden.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._handle: QWindow | None = None
        self.hidden = False
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._on_rest_timeout)

    def start(self) -> None:
        """Start watching; the window must be visible."""
        self.stop()
        self._window.installEventFilter(self)
        self._handle = self._window.windowHandle()
        if self._handle is not None:
            # Widgets without mouse tracking get no move events, but their window does.
            self._handle.installEventFilter(self)
        self._rest.start()

    def stop(self) -> None:
        """Stop watching and show the pointer."""
        self._rest.stop()
        self._show()
        self._window.removeEventFilter(self)
        if self._handle is not None:
            self._handle.removeEventFilter(self)
            self._handle = None

    def _show(self) -> None:
        if self.hidden:
            self.hidden = False
            QApplication.restoreOverrideCursor()

    def _on_rest_timeout(self) -> None:
        if not self.hidden and self._window.isActiveWindow():
            self.hidden = True
            QApplication.setOverrideCursor(Qt.CursorShape.BlankCursor)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the pointer when the mouse moves and while another window is active."""
        kind = event.type()
        if watched is self._handle and kind in _MOVES:
            self._show()
            self._rest.start()
        elif watched is self._window and kind == QEvent.Type.WindowDeactivate:
            self._show()
            self._rest.stop()
        elif watched is self._window and kind == QEvent.Type.WindowActivate:
            self._rest.start()
        return False

"""The mouse pointer, which vanishes while it rests."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QApplication, QWidget

REST_MS = 3000

_MOVES = (QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class RestingCursor(QObject):
    """Watches one window; the pointer is as always while another one is in use."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._handle: QWindow | None = None
        self._hidden = False
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._on_rest_timeout)

    @property
    def hidden(self) -> bool:
        """Whether the pointer cannot be seen."""
        return self._hidden

    def start(self) -> None:
        """Begins to watch; the window must be shown."""
        self.stop()
        self._window.installEventFilter(self)
        self._handle = self._window.windowHandle()
        if self._handle is not None:
            # Widgets that do not track the mouse hear nothing of its moves; their window does.
            self._handle.installEventFilter(self)
        self._rest.start()

    def stop(self) -> None:
        """Shows the pointer and watches no more."""
        self._rest.stop()
        self._show()
        self._window.removeEventFilter(self)
        if self._handle is not None:
            self._handle.removeEventFilter(self)
            self._handle = None

    def _show(self) -> None:
        if self._hidden:
            self._hidden = False
            QApplication.restoreOverrideCursor()

    @Slot()
    def _on_rest_timeout(self) -> None:
        if not self._hidden and self._window.isActiveWindow():
            self._hidden = True
            QApplication.setOverrideCursor(Qt.CursorShape.BlankCursor)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wakes the pointer when it is moved, and for as long as a dialog is open."""
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

"""A widget as large as its window, above everything else in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget


class WindowCover(QWidget):
    """Covers its window while it is shown, in every size."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.hide()
        window.installEventFilter(self)

    def put_on_top(self) -> None:
        """Show it above everything else in the window."""
        self.setGeometry(self.window().rect())
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's size."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self.setGeometry(self.window().rect())
        return False

"""A widget as large as the one that it covers, above everything else in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget


class Cover(QWidget):
    """Covers a window, or a view in it, while it is shown, in every size.

    Args:
        below: What it covers, and its parent.
    """

    def __init__(self, below: QWidget) -> None:
        super().__init__(below)
        self._below = below
        self.hide()
        below.installEventFilter(self)

    def put_on_top(self) -> None:
        """Show it above everything else, also above what was added since."""
        self.setGeometry(self._below.rect())
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of what is below."""
        if event.type() == QEvent.Type.Resize and watched is self._below:
            self.setGeometry(self._below.rect())
        return False

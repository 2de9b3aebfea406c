"""Files dragged over the window: what can be opened is taken, and where it would land is shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

OPENED = (".py", ".gradviz")
"""Endings of the files that can be opened."""


class FileDrop(QObject):
    """Stands before the window's own handling of drags.

    Signals:
        dropped: Tuple of the paths that were dropped.
    """

    dropped = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes files that can be opened."""
        if isinstance(event, QDragEnterEvent):
            if _paths_in(event.mimeData()):
                event.acceptProposedAction()
            return True
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self.dropped.emit(_paths_in(event.mimeData()))
            event.acceptProposedAction()
            return True
        return False


def _paths_in(data: QMimeData) -> tuple[Path, ...]:
    found = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return tuple(path for path in found if path.suffix in OPENED)

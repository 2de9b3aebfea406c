"""Keeps the wheel from changing a field that happens to pass under the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class CalmWheel(QObject):
    """Leaves the wheel to the page around a field, unless the field is in use."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        # Else the wheel itself would give it the focus.
        field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes the wheel from a field without the focus; Qt then offers it to what is around."""
        idle = isinstance(watched, QWidget) and not watched.hasFocus()
        if idle and event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False

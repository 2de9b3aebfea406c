"""Prevents the wheel from changing a field that scrolls under the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class WheelGuard(QObject):
    """Ignores the wheel on a field without focus, so that the page scrolls instead."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        # Without this policy, the wheel itself would focus the field.
        field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Block wheel events on a field without focus; Qt then passes them to the parent."""
        idle = isinstance(watched, QWidget) and not watched.hasFocus()
        if idle and event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False

"""Says something to a screen reader that is not the name of the focused widget."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str) -> None:
    """Has a screen reader say a text, when it has said what it is saying.

    Args:
        widget: Whom the text is about.
        text: Plain text; nothing is said for an empty one.
    """
    if text:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))

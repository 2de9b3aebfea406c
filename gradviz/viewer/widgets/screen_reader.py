"""Announcements to screen readers that are independent of the focused widget's name."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str) -> None:
    """Queue a text for the screen reader, after what it is reading now.

    Args:
        widget: The widget that the text is about.
        text: Plain text; an empty one is ignored.
    """
    if text:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))

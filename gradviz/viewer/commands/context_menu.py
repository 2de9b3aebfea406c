"""The menus that open on a right click or with the Menu key: what works on the thing there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

Fill = Callable[[QMenu, QPoint | None], None]
"""Puts entries into an empty menu.

Args: the menu, and the place in the widget; None where the Menu key opened it.
"""


class ContextMenu(QObject):
    """Opens a menu on one widget.

    Args:
        widget: On which it opens; of something that scrolls, its viewport is meant.
        fill: Puts entries into the menu; without any, none opens.
        place: Where the Menu key opens it, in the widget's pixels.
    """

    def __init__(self, widget: QWidget, fill: Fill, place: Callable[[], QPoint]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._fill = fill
        self._place = place
        widget.installEventFilter(self)
        if isinstance(widget, QAbstractScrollArea):
            self._widget = widget.viewport()
            self._widget.installEventFilter(self)

    def open(self, at: QPoint | None) -> QMenu | None:
        """Opens it at a place of the widget, or where the Menu key does."""
        menu = QMenu(self._widget)
        self._fill(menu, at)
        if not menu.actions():
            menu.deleteLater()
            return None
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._widget.mapToGlobal(self._place() if at is None else at))
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Opens it on a right click and with the Menu key."""
        if event.type() != QEvent.Type.ContextMenu or not isinstance(event, QContextMenuEvent):
            return False
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        self.open(None if by_key else event.pos())
        return True


def fill(menu: QMenu, entries: Sequence[QAction | QMenu | None]) -> None:
    """Puts commands and menus into a menu; None is a line between them."""
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        elif isinstance(entry, QMenu):
            menu.addMenu(entry)
        else:
            menu.addAction(entry)

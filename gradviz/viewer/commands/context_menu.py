"""Context menus, opened by a right click or the Menu key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

FillMenu = Callable[[QMenu, QPoint | None], None]
"""Fills an empty menu.

Args: the menu, and the position in the widget; None if the Menu key opened it.
"""


class ContextMenu(QObject):
    """The context menu of one widget.

    Args:
        widget: The widget; for a scroll area, its viewport is used.
        fill: Adds the entries; if it adds none, no menu opens.
        place: Returns where the Menu key opens the menu, in the widget's pixels.
    """

    def __init__(self, widget: QWidget, fill: FillMenu, place: Callable[[], QPoint]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._fill = fill
        self._place = place
        widget.installEventFilter(self)
        if isinstance(widget, QAbstractScrollArea):
            self._widget = widget.viewport()
            self._widget.installEventFilter(self)

    def open(self, at: QPoint | None) -> QMenu | None:
        """Open the menu at a position in the widget, or at the Menu key's place for None."""
        menu = QMenu(self._widget)
        self._fill(menu, at)
        if not menu.actions():
            menu.deleteLater()
            return None
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._widget.mapToGlobal(self._place() if at is None else at))
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open the menu on a right click or the Menu key."""
        if event.type() != QEvent.Type.ContextMenu or not isinstance(event, QContextMenuEvent):
            return False
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        self.open(None if by_key else event.pos())
        return True


def fill(menu: QMenu, entries: Sequence[QAction | QMenu | None]) -> None:
    """Add commands and submenus to a menu; None adds a separator."""
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        elif isinstance(entry, QMenu):
            menu.addMenu(entry)
        else:
            menu.addAction(entry)


def copy_text(text: str, checked: bool = False) -> None:
    """Copy a text to the clipboard; the second argument is for the signal of a menu entry."""
    QGuiApplication.clipboard().setText(text)

"""A tool button of an action."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QAction, QActionEvent
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.actions import without_mnemonic


class ActionButton(QToolButton):
    """Triggers an action, and has its text, icon and state.

    Args:
        action: The action.
        parent: The parent, if any.
    """

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDefaultAction(action)
        self._follow(action)

    def actionEvent(self, event: QActionEvent) -> None:
        """Follow a change of the action.

        Qt 6.11 would set it as default again and connect to it once more each time, so that long
        use takes more and more memory, and each change of a command more and more time.
        """
        action = self.defaultAction()
        if event.type() != QEvent.Type.ActionChanged or event.action() is not action:
            super().actionEvent(event)
        else:
            self._follow(action)

    def _follow(self, action: QAction) -> None:
        self.setText(_plain(action.iconText(), action).replace("&", "&&"))
        self.setIcon(action.icon())
        self.setToolTip(_plain(action.toolTip(), action))
        self.setCheckable(action.isCheckable())
        self.setChecked(action.isChecked())
        self.setEnabled(action.isEnabled())


def _plain(text: str, action: QAction) -> str:
    """A text of an action; where Qt derives it from the menu's, without all of the mnemonic."""
    is_derived = text == action.text().replace("&", "")
    return without_mnemonic(action.text()) if is_derived else text

"""The top bar's button that starts Presenter Mode."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.actions import tip_of
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.state import ViewerState

_ICON = 18


class PresentButton(QToolButton):
    """Triggers the command; the tooltip shows its shortcut."""

    def __init__(self, state: ViewerState, command: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        text = self.tr("Presenter Mode: large text for an audience, steps by clicker")
        command.setToolTip(tip_of(command, text))
        self.setText(self.tr("Present"))
        self.setToolTip(command.toolTip())
        self.setAccessibleName(self.tr("Present"))
        self.setAccessibleDescription(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.clicked.connect(command.trigger)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._on_state_theme_changed(state.theme)

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.setIcon(icon("present", theme))
        self.setIconSize(QSize(theme.px(_ICON), theme.px(_ICON)))

"""The timeline's five playback buttons; Play has a menu of speeds."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.local_keys import TIMELINE_KEYS, keys_of
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_icon
from gradviz.viewer.widgets.action_button import ActionButton
from gradviz.viewer.widgets.plain_text import plain_tooltip

_ICON, _WIDTH, _HEIGHT = 20, 36, 32
_MOST_SCALE = 1.4
"""Larger text leaves the space to the values."""


class TimelineControls(QWidget):
    """Buttons for the step commands, which are carried out elsewhere."""

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._playing = False
        self._buttons: list[tuple[QToolButton, QAction, str]] = []
        self._next = actions.next
        self._lay_out(actions)
        self._next_tip, self._comes = self._next.toolTip(), ""
        self.update_theme()

    def _lay_out(self, actions: Actions) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3)
        for action, name, text in (
            (actions.first, "first", self.tr("First step")),
            (actions.previous, "previous", self.tr("One step back")),
            (actions.play, "play", self.tr("Play or pause")),
            (actions.next, "next", self.tr("One step forward")),
            (actions.last, "last", self.tr("Last step")),
        ):
            action.setToolTip(tip_of(action, text, *keys_of(TIMELINE_KEYS, name)))
            button = ActionButton(action)
            button.setAccessibleName(text)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            self._buttons.append((button, action, name))
            row.addWidget(button)
            if name == "play":
                speeds = QMenu(button)
                speeds.addActions(actions.speeds.actions())
                button.setMenu(speeds)
                # A click plays; a long or a right one opens the menu.
                button.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)
                button.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
                button.addActions(actions.speeds.actions())

    def update_theme(self) -> None:
        """Repaint with another theme."""
        for button, _, _ in self._buttons:
            scale = min(self._theme.scale, _MOST_SCALE)
            button.setIconSize(QSize(_ICON, _ICON) * scale)
            button.setFixedSize(QSize(_WIDTH, _HEIGHT) * scale)
        self.show_playing(self._playing)

    @property
    def next_tip(self) -> str:
        """The tooltip of the Next button, as plain text."""
        return f"{self._next_tip}\n{self._comes}" if self._comes else self._next_tip

    def show_next(self, text: str) -> None:
        """Add what comes next to the tooltip of the Next button."""
        self._comes = text
        self._next.setToolTip(plain_tooltip(self.next_tip))

    def show_playing(self, playing: bool) -> None:
        """Show the pause icon or the play icon."""
        self._playing = playing
        for _, action, name in self._buttons:
            set_theme_icon(action, self._theme, "pause" if name == "play" and playing else name)

"""The timeline's playback buttons and speed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QWidget

from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.local_keys import TIMELINE_KEYS, keys_of
from gradviz.viewer.theme.dress import set_icon, wear
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.timeline.player import SPEEDS
from gradviz.viewer.widgets.action_button import ActionButton
from gradviz.viewer.widgets.plain_text import plain_tooltip

_ICON, _WIDTH, _HEIGHT = 18, 32, 25


class TimelineControls(QWidget):
    """Buttons for the step commands, which are carried out elsewhere.

    Signals:
        speed_changed: Steps per second.
    """

    speed_changed = Signal(object)

    def __init__(self, theme: Theme, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._playing = False
        self._buttons: list[tuple[QToolButton, QAction, str]] = []
        self.speed = QComboBox()
        for each in SPEEDS:
            self.speed.addItem(self.tr("{0} / s").format(f"{each:g}"), each)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.setToolTip(self.tr("Steps per second during playback"))
        self.speed.setAccessibleName(self.tr("Speed in steps per second"))
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed.currentIndexChanged.connect(self._on_speed_index_changed)
        self._next = actions.next
        self._lay_out(actions)
        self._next_tip, self._comes = self._next.toolTip(), ""
        wear(self.speed, theme, SMALL_PIXELS)
        self.dress()

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
        row.addWidget(self.speed)

    def dress(self) -> None:
        """Repaint with another theme."""
        self.speed.setFixedHeight(self._theme.px(_HEIGHT))
        for button, _, _ in self._buttons:
            button.setIconSize(QSize(self._theme.px(_ICON), self._theme.px(_ICON)))
            button.setFixedSize(self._theme.px(_WIDTH), self._theme.px(_HEIGHT))
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
            set_icon(action, self._theme, "pause" if name == "play" and playing else name)

    @Slot(int)
    def _on_speed_index_changed(self, at: int) -> None:
        self.speed_changed.emit(self.speed.itemData(at))

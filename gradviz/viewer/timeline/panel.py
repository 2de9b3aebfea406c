"""The panel along the bottom: buttons, speed, the row of steps, and where we are in words."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from gradviz.model.index import Index
from gradviz.model.narrate import sentence
from gradviz.model.query import phase_of, step_at
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.elided_label import ElidedLabel
from gradviz.viewer.icons import icon
from gradviz.viewer.keys import keys_of
from gradviz.viewer.plain_text import plain_tooltip
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme import Theme
from gradviz.viewer.timeline.bar import TimelineBar
from gradviz.viewer.timeline.player import SPEEDS, Player
from gradviz.viewer.timeline.track import SIDE

_LEAST_OF_NEXT = 260
"""Pixels that the sentence on the next step keeps beside a long one on this step."""


class TimelinePanel(QWidget):
    """Shows and changes the state's step."""

    def __init__(self, state: ViewerState, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._actions = actions
        self.player = Player(state, self)
        self.bar = TimelineBar(state.theme, self)
        self.where = ElidedLabel(bold=True)
        self.where.setObjectName("where")
        self.now = ElidedLabel()
        self.next = ElidedLabel(muted=True)
        self.next.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._buttons: list[tuple[QAction, str]] = []
        self.speed = self._make_speed()
        self._lay_out()
        self._connect()
        self._show_icons(state.theme)
        self._on_state_trace_changed(state.index)
        self._on_state_step_changed(state.number)

    def _make_speed(self) -> QComboBox:
        speed = QComboBox()
        for each in SPEEDS:
            speed.addItem(self.tr("{0} / s").format(f"{each:g}"), each)
        speed.setCurrentIndex(SPEEDS.index(1.0))
        speed.setToolTip(self.tr("Steps a second while playing"))
        speed.setAccessibleName(self.tr("Speed, in steps a second"))
        speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return speed

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        actions = self._actions
        for action, name, text in (
            (actions.first, "first", self.tr("First step")),
            (actions.previous, "previous", self.tr("One step back")),
            (actions.play, "play", self.tr("Play or pause")),
            (actions.next, "next", self.tr("One step forward")),
            (actions.last, "last", self.tr("Last step")),
        ):
            action.setToolTip(tip_of(action, text, *keys_of("timeline", name)))
            button = QToolButton()
            button.setDefaultAction(action)
            button.setIconSize(QSize(20, 20))
            button.setFixedSize(38, 34)
            button.setAccessibleName(text)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            self._buttons.append((action, name))
            buttons.addWidget(button)
        left = QVBoxLayout()
        left.addLayout(buttons)
        below = QHBoxLayout()
        below.addWidget(self.where, 1)
        below.addWidget(self.speed)
        left.addLayout(below)
        words = QHBoxLayout()
        words.setContentsMargins(round(SIDE) // 2, 0, round(SIDE) // 2, 0)
        words.setSpacing(24)
        # What happens now takes the room that it needs; what comes next has the rest.
        self.now.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.next.setMinimumWidth(_LEAST_OF_NEXT)
        words.addWidget(self.now)
        words.addWidget(self.next, 1)
        layout = QGridLayout(self)
        layout.setContentsMargins(14, 8, 14, 8)
        layout.setHorizontalSpacing(16)
        layout.addLayout(left, 0, 0, 2, 1)
        layout.addWidget(self.bar, 0, 1)
        layout.addLayout(words, 1, 1)
        layout.setColumnStretch(1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _connect(self) -> None:
        state, actions = self._state, self._actions
        actions.first.triggered.connect(self._on_first_triggered)
        actions.previous.triggered.connect(self._on_previous_triggered)
        actions.next.triggered.connect(self._on_next_triggered)
        actions.last.triggered.connect(self._on_last_triggered)
        actions.play.triggered.connect(self._on_play_triggered)
        self.bar.valueChanged.connect(self._on_bar_value_changed)
        self.bar.sliderPressed.connect(self.player.pause)
        self.bar.hovered.connect(self._on_bar_hovered)
        self.bar.play_pressed.connect(self._on_play_triggered)
        self.player.playing_changed.connect(self._on_player_playing_changed)
        self.speed.currentIndexChanged.connect(self._on_speed_changed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.theme_changed.connect(self._on_state_theme_changed)

    def _show_icons(self, theme: Theme) -> None:
        for action, name in self._buttons:
            shown = "pause" if name == "play" and self.player.playing else name
            action.setIcon(icon(shown, theme))

    def _show_words(self, index: Index, number: int) -> None:
        step, following = step_at(index, number), step_at(index, number + 1)
        count = len(index.trace.steps)
        self.where.setText(self.tr("step {0:,} of {1:,}").format(number, count))
        if step is None:
            self.now.setText("")
        else:
            forward = phase_of(step) == "forward"
            phase = self.tr("FORWARD") if forward else self.tr("BACKWARD")
            self.now.setText(f"{phase} · {sentence(index, step)}")
        if following is None:
            self.next.setText(self.tr("the run ends here") if step is not None else "")
        else:
            self.next.setText(self.tr("next: {0}").format(sentence(index, following)))

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        self.bar.show_index(index)
        self._show_enabled()

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        index = self._state.index
        self.bar.setValue(number)
        if index is None:
            for label in (self.where, self.now, self.next):
                label.setText("")
            return
        self._show_words(index, number)
        text = self.where.text()
        self.bar.setAccessibleDescription(f"{text}. {self.now.text()}")
        self._show_enabled()

    def _show_enabled(self) -> None:
        number, count = self._state.number, self._state.count
        for action in (self._actions.first, self._actions.previous):
            action.setEnabled(number > 1)
        for action in (self._actions.next, self._actions.last):
            action.setEnabled(number < count)
        self._actions.play.setEnabled(count > 1)
        self.bar.setEnabled(count > 0)

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.bar.set_theme(theme)
        self._show_icons(theme)

    @Slot(int)
    def _on_bar_value_changed(self, number: int) -> None:
        self._state.go_to(number)

    @Slot(object, object)
    def _on_bar_hovered(self, number: int, place: QPoint) -> None:
        index = self._state.index
        step = None if index is None else step_at(index, number)
        if index is not None and step is not None:
            text = self.tr("step {0:,}: {1}").format(number, sentence(index, step))
            QToolTip.showText(place, plain_tooltip(text), self.bar)

    @Slot(bool)
    def _on_player_playing_changed(self, playing: bool) -> None:
        self._actions.play.setText(self.tr("Pause") if playing else self.tr("Play"))
        self._show_icons(self._state.theme)

    @Slot(int)
    def _on_speed_changed(self, at: int) -> None:
        self.player.set_speed(self.speed.itemData(at))

    @Slot()
    def _on_first_triggered(self) -> None:
        self.player.pause()
        self._state.first_step()

    @Slot()
    def _on_previous_triggered(self) -> None:
        self.player.pause()
        self._state.previous_step()

    @Slot()
    def _on_next_triggered(self) -> None:
        self.player.pause()
        self._state.next_step()

    @Slot()
    def _on_last_triggered(self) -> None:
        self.player.pause()
        self._state.last_step()

    @Slot()
    def _on_play_triggered(self) -> None:
        self.player.toggle()

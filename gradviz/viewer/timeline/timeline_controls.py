"""The controls of the position: buttons, and the pass, step, stage, line and op with links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from gradviz.analysis.index.step_queries import phase_number, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.document.facts.step_facts import title_of
from gradviz.document.location_text import crumbs
from gradviz.viewer.actions import USUAL_SPEED, Actions, tip_of
from gradviz.viewer.local_keys import TIMELINE_KEYS, keys_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_icon
from gradviz.viewer.widgets.action_button import ActionButton
from gradviz.viewer.widgets.crumb_row import Crumb, CrumbRow
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import plain_tooltip


class PositionCrumbs(CrumbRow):
    """A link for each level down to the current one; the next deeper level follows in gray.

    Args:
        state: The state of the window.
        into: The command that steps into the next deeper level.
        theme: Colors and fonts.
    """

    def __init__(self, state: ViewerState, into: QAction, theme: Theme) -> None:
        super().__init__(theme, UI_PIXELS)
        self._state = state
        self._into = into
        self.setAccessibleName(self.tr("Position"))
        state.place_changed.connect(self._on_state_place_changed)
        self._on_state_place_changed(state.place)

    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        index = self._state.index
        if index is None or place is None:
            self.show_crumbs(())
            return
        path = list(self._path(index, place))
        here = path[-1]
        found = [*path[:-1], Crumb(here.text, here.tip, here.go, "here")]
        inner = self._state.inner_target
        if inner is not None:
            levels = {
                "node": self.tr("steps"),
                "stage": self.tr("stages"),
                "line": self.tr("lines"),
                "op": self.tr("ops"),
            }
            tip = tip_of(self._into, self.tr("Step into this step"))
            found.append(Crumb(levels[inner[1]], tip, self._into.trigger, "next"))
        self.show_crumbs(found)

    def _path(self, index: TraceIndex, place: TracePosition) -> Iterator[Crumb]:
        tip = self.tr("Step from pass to pass")
        yield Crumb(self._phase(index, place), tip, partial(self._state.set_level, "pass"))
        if self._state.level == "pass":
            return
        for crumb in crumbs(index, place):
            level = crumb.place.level
            text, step = crumb.text, step_at(index, crumb.place.step)
            if level == "node" and step is not None:
                text = title_of(index, step)
            tip = self.tr("Go to {0} and step at this level").format(text)
            yield Crumb(text, tip, partial(self._state.go_to_place, crumb.place, level))

    def _phase(self, index: TraceIndex, place: TracePosition) -> str:
        """Name a phase, with its number if there are several of its kind."""
        now = next(each for each in index.phases if each.first <= place.step <= each.last)
        kinds = {
            "forward": self.tr("forward"),
            "backward": self.tr("backward"),
            "update": self.tr("optimizer"),
        }
        if [each.kind for each in index.phases].count(now.kind) == 1:
            return kinds[now.kind]
        return self.tr("{0} {1}").format(kinds[now.kind], format_count(phase_number(index, now)))


_ICON, _WIDTH, _HEIGHT = 20, 36, 32
_MOST_SCALE = 1.4
"""Larger text leaves the space to the values."""


class TimelineControls(QWidget):
    """Buttons for the step commands, which are carried out elsewhere."""

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self._theme = theme
        self._playing = False
        self._buttons: list[tuple[QToolButton, QAction, str]] = []
        self._next = actions.next
        self._lay_out(actions)
        self._next_tip, self._comes = self._next.toolTip(), ""
        self.update_theme()

    def _lay_out(self, actions: Actions) -> None:
        row = lay_out(QHBoxLayout(self), gap=3)
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


class Player(QObject):
    """Plays the trace of the state.

    Signals:
        playing_changed: Whether playback is running.
    """

    playing_changed = Signal(bool)

    def __init__(self, state: ViewerState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._speed = USUAL_SPEED
        self._stop_at: Callable[[TracePosition], TracePosition | None] = _nowhere
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timer_timeout)
        state.trace_changed.connect(self.pause)

    @property
    def playing(self) -> bool:
        """Whether playback is running."""
        return self._timer.isActive()

    def stop_at(self, first_hit_until: Callable[[TracePosition], TracePosition | None]) -> None:
        """Set what stops playback.

        Args:
            first_hit_until: Given the next place, returns the first place to stop at on the way
                there.
        """
        self._stop_at = first_hit_until

    def set_speed(self, steps_per_second: float) -> None:
        """Change the speed, even during playback."""
        self._speed = steps_per_second
        self._timer.setInterval(round(1000 / steps_per_second))

    def toggle(self) -> None:
        """Pause, or play; at the end of the run, start from the beginning."""
        if self.playing:
            self.pause()
            return
        if self._state.count == 0:
            return
        if self._state.is_at_end:
            self._state.first_step()
        self._timer.start(round(1000 / self._speed))
        self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stop at the current step."""
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def _on_timer_timeout(self) -> None:
        target = None if self._state.revealed.hides_answer else self._state.next_target
        stop = None if target is None else self._stop_at(target[0])
        if stop is not None:
            self._state.go_to_place(stop, stop.level)
            self.pause()
            return
        self._state.next_step()
        if self._state.is_at_end:
            self.pause()


def _nowhere(_: TracePosition) -> None:
    return None

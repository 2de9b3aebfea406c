"""Presenter Mode: adapts the window for an audience, and restores it afterward."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction, QScreen

from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.presenter.black_screen import BlackScreen
from gradviz.viewer.presenter.idle_cursor import IdleCursor
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.presenter.presenter_keys import PresenterKeys
from gradviz.viewer.presenter.presenter_tools import PresenterTools
from gradviz.viewer.presenter.readable_size import readable_scale
from gradviz.viewer.presenter.screen_menu import PresentButton, ScreenMenu
from gradviz.viewer.presenter.window_chrome import WindowChrome
from gradviz.viewer.stage.stage import Stage
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme_controller import ThemeController
from gradviz.viewer.theme.theme_update import update_all_themes
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.widgets.focus_ring import keep_focus

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow


_SETTLING_MS = 60


class Presenter(QObject):
    """Carries out the presentation commands in one window."""

    def __init__(self, window: MainWindow, themes: ThemeController) -> None:
        super().__init__(window)
        self._window = window
        self._state = window.parts[ViewerState]
        self._timeline = window.parts[TimelinePanel]
        self._area = window.parts[PresenterArea]
        self._player = window.parts[LessonPlayer]
        self._themes = themes
        self._give_focus_back: Callable[[], None] = lambda: None
        self._frame = WindowChrome(window)
        self._cursor = IdleCursor(window)
        self.black = BlackScreen(window)
        self.tools = PresenterTools(window)
        self.stage = Stage(window)
        self._keys = PresenterKeys(window, self._calls())
        self.screens = ScreenMenu(window.commands.present_on, window)
        window.top.place_right(PresentButton(self._state, window.commands.present))
        self._settling = QTimer(self, singleShot=True, interval=_SETTLING_MS)
        self._settling.timeout.connect(self._fit_type_to_space)
        self._connect()
        self._show_enabled()

    @property
    def presenting(self) -> bool:
        """Whether the window is in Presenter Mode."""
        return self._state.presentation.presenting

    def enter(self, *, full_screen: bool = True, screen: QScreen | None = None) -> None:
        """Enter Presenter Mode.

        Args:
            full_screen: Whether the window starts in full screen.
            screen: The screen to use; the window's current one if omitted.
        """
        if self.presenting:
            return
        self._give_focus_back = keep_focus(self._window)
        self._timeline.player.pause()
        self._frame.fold()
        self._state.presentation.set_presenting(True)
        shown_on = self._frame.go_to(screen, full_screen=full_screen)
        self._state.presentation.screen = shown_on
        self._fit_type_to_space()
        self._state.clicks.show_steps(self.stage)
        self._window.bottom.hide()
        self._show_stage()
        self._keys.set_enabled(True)
        self._cursor.start()
        self._state.set_quiz_mode(self._window.commands.quiz_mode.isChecked())
        # Focus a widget without a focus ring, so that none is visible.
        self._area.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_enabled()

    def leave(self) -> None:
        """Leave Presenter Mode: restore the window but stay at the current step."""
        if not self.presenting:
            return
        self.stop()
        self._area.show_stage(None)
        self._window.bottom.show()
        self._themes.set_own_scale(None)
        self._frame.unfold()
        self._give_focus_back()

    def stop(self) -> None:
        """Stop timers and everything else that runs by itself; the window may be about to close."""
        self._state.presentation.set_presenting(False)
        self._state.presentation.screen = None
        self._settling.stop()
        self._state.clicks.show_steps(None)
        self.black.uncover()
        self.tools.stop()
        self._cursor.stop()
        self._keys.set_enabled(False)
        self._state.set_quiz_mode(False)
        self._show_enabled()

    def _calls(self) -> dict[str, Callable[[], object]]:
        actions = self._window.commands
        return {
            "next": partial(self._go, actions.next_stop, actions.next),
            "previous": partial(self._go, actions.previous_stop, actions.previous),
            "first": actions.first.trigger,
            "last": actions.last.trigger,
            "into": partial(self._turn_or_step, -1, actions.into),
            "out": partial(self._turn_or_step, 1, actions.out),
            "black": actions.black.trigger,
            "hide_answers": actions.hide_answers.trigger,
            "show_answers": partial(actions.quiz_mode.setChecked, False),
            "pen": actions.pen.trigger,
            "spotlight": actions.spotlight.trigger,
            "leave": self._close_or_leave,
        }

    def _go(self, in_lesson: QAction, step: QAction) -> None:
        """Do what a clicker does, here as in the speaker's window."""
        (step if self._player.lesson is None else in_lesson).trigger()

    def _turn_or_step(self, by: int, step: QAction) -> None:
        """Turn a number of a lesson's picture: a step to another level would leave the stop."""
        if self._player.lesson is None:
            step.trigger()
        else:
            self.stage.knob.turn(by)

    def _connect(self) -> None:
        window, actions = self._window, self._window.commands
        actions.present.triggered.connect(self._on_present_triggered)
        actions.full_screen.triggered.connect(self._on_full_screen_triggered)
        actions.quiz_mode.toggled.connect(self._on_quiz_mode_toggled)
        actions.hide_answers.triggered.connect(self._on_hide_answers_triggered)
        actions.black.triggered.connect(self.black.toggle)
        # From the speaker's window, whose keys the black screen does not get.
        for action in (actions.next_stop, actions.previous_stop):
            action.triggered.connect(self.black.uncover)
        self.screens.chosen.connect(lambda screen: self.enter(screen=screen))
        self._area.resized.connect(self._settling.start)
        window.top.tab_changed.connect(self._on_top_tab_changed)
        for changed in (self._player.stop_changed, self._state.reports_changed):
            changed.connect(self._show_stage)
        window.parts[CompareLauncher].finished.connect(self._show_stage)
        window.closed.connect(self._on_window_closed)

    def _show_stage(self) -> None:
        """Show the pictures of a story, or else the page in front."""
        if not self.presenting:
            return
        has_story = self.stage.has_story
        self._area.show_stage(self.stage.view if has_story else None)
        if not has_story:
            # A page that was just made has not seen the size of text on the stage.
            update_all_themes()
        self.stage.refresh()

    def _fit_type_to_space(self) -> None:
        """Scale text and graph to the window's size, whatever the size of text is elsewhere."""
        if self.presenting:
            self._themes.set_own_scale(readable_scale(self._window.size()))

    def _show_enabled(self) -> None:
        actions = self._window.commands
        actions.present.setChecked(self.presenting)
        for action in (actions.black, actions.hide_answers, actions.pen, actions.spotlight):
            action.setEnabled(self.presenting)
        # Reset Layout would show the hidden docks.
        actions.restore.setEnabled(not self.presenting)

    def _close_or_leave(self) -> None:
        """Close what is in front of the stage; if there is nothing, leave Presenter Mode."""
        if not self.tools.close_one():
            self.leave()

    def _on_present_triggered(self, checked: bool) -> None:
        if self.presenting:
            self.leave()
        else:
            self.enter()

    def _on_full_screen_triggered(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)
        self._state.presentation.screen = None

    def _on_quiz_mode_toggled(self, quiz_mode: bool) -> None:
        if self.presenting:
            self._state.set_quiz_mode(quiz_mode)

    def _on_hide_answers_triggered(self) -> None:
        if self._state.quiz_mode:
            self._state.set_answer_hidden()
        else:
            self._window.commands.quiz_mode.setChecked(True)
        # Hiding again may change nothing else that is seen.
        text = self.tr("later answers are hidden")
        if self._state.revealed.hides_answer:
            text = self.tr("hidden until the next click")
        self.stage.view.say(text)

    def _on_top_tab_changed(self, name: str) -> None:
        if self.presenting:
            self._frame.hide_docks()
            self._show_stage()

    def _on_window_closed(self) -> None:
        if self.presenting:
            self.stop()

"""Presenter Mode: adapts the window for an audience, and restores it afterward."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.analysis.training.training_curves import is_training
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.presenter.black_screen import BlackScreen
from gradviz.viewer.presenter.idea_dots import IdeaTimeline
from gradviz.viewer.presenter.idle_cursor import IdleCursor
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.presenter.presenter_keys import PresenterKeys
from gradviz.viewer.presenter.presenter_tools import PresenterTools
from gradviz.viewer.presenter.readable_size import (
    ReadableZoom,
    fitting_height,
    least_pixels,
    scale_for,
)
from gradviz.viewer.presenter.screen_menu import PresentButton, ScreenMenu
from gradviz.viewer.presenter.window_chrome import WindowChrome
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme_controller import ThemeController
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.training.panel import TrainingPanel
from gradviz.viewer.widgets.focus_ring import focus_reason

if TYPE_CHECKING:
    from gradviz.viewer.presenter.presenter_code import PresenterCode
    from gradviz.viewer.presenter.presenter_header import PresenterHeader
    from gradviz.viewer.presenter.presenter_values import PresenterValues
    from gradviz.viewer.window.main_window import MainWindow


_SETTLING_MS = 60


class PresenterParts(NamedTuple):
    """The header, and what is shown of the current step beside the graph."""

    head: PresenterHeader
    code: PresenterCode
    values: PresenterValues


class Presenter(QObject):
    """Carries out the presentation commands in one window."""

    def __init__(self, window: MainWindow, themes: ThemeController) -> None:
        super().__init__(window)
        self._window = window
        self._state = window.parts[ViewerState]
        self._graph, self._timeline = window.parts[GraphPanel], window.parts[TimelinePanel]
        self._area = window.parts[PresenterArea]
        self._themes = themes
        self._focus: QWidget | None = None
        self._focus_reason = Qt.FocusReason.OtherFocusReason
        self._presenting = False
        self._parts: PresenterParts | None = None
        self._frame = WindowChrome(window)
        self._aim = ReadableZoom(self._state, self._graph, self)
        self._cursor = IdleCursor(window)
        self.black = BlackScreen(window)
        self.tools = PresenterTools(window)
        PresenterTraining(window)
        self.ideas = IdeaTimeline(window)
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
        return self._presenting

    @property
    def parts(self) -> PresenterParts | None:
        """The header, the code and the values while presenting; None otherwise."""
        return self._parts

    def enter(self, *, full_screen: bool = True, screen: QScreen | None = None) -> None:
        """Enter Presenter Mode.

        Args:
            full_screen: Whether the window starts in full screen.
            screen: The screen to use; the window's current one if omitted.
        """
        if self._presenting:
            return
        self._presenting = True
        focus = QApplication.focusWidget()
        self._focus = focus if focus is not None and focus.window() is self._window else None
        if self._focus is not None:
            self._focus_reason = focus_reason(self._focus)
        self._timeline.player.pause()
        self._aim.start()
        self._frame.fold()
        self._furnish()
        self._timeline.set_slim(True)
        self._state.presentation.set_presenting(True)
        shown_on = self._frame.go_to(screen, full_screen=full_screen)
        self._state.presentation.screen = shown_on
        self._fit_type_to_space()
        self._keys.set_enabled(True)
        self._cursor.start()
        self._state.set_quiz_mode(self._window.commands.quiz_mode.isChecked())
        # Focus a widget without a focus ring, so that none is visible.
        self._area.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_enabled()

    def leave(self) -> None:
        """Leave Presenter Mode: restore the window but stay at the current step."""
        if not self._presenting:
            return
        self.stop()
        self._timeline.set_slim(False)
        self._clear()
        self._themes.set_own_scale(None)
        self._frame.unfold()
        self._aim.stop()
        if self._focus is not None and self._focus.isVisible():
            self._focus.setFocus(self._focus_reason)
        self._focus = None

    def stop(self) -> None:
        """Stop timers and everything else that runs by itself; the window may be about to close."""
        self._presenting = False
        self._state.presentation.set_presenting(False)
        self._state.presentation.screen = None
        self._settling.stop()
        if self._parts is not None:
            self._state.clicks.remove(self._parts.values)
        self.black.uncover()
        self.tools.stop()
        self._cursor.stop()
        self._keys.set_enabled(False)
        self._state.set_quiz_mode(False)
        self._show_enabled()

    def _calls(self) -> dict[str, Callable[[], object]]:
        actions = self._window.commands
        return {
            "next": actions.next.trigger,
            "previous": actions.previous.trigger,
            "first": actions.first.trigger,
            "last": actions.last.trigger,
            "into": actions.into.trigger,
            "out": actions.out.trigger,
            "black": actions.black.trigger,
            "hide_answers": actions.hide_answers.trigger,
            "show_answers": self._show_answers,
            "pen": actions.pen.trigger,
            "spotlight": actions.spotlight.trigger,
            "leave": self._close_or_leave,
        }

    def _connect(self) -> None:
        window, actions = self._window, self._window.commands
        actions.present.triggered.connect(self._on_present_triggered)
        actions.full_screen.triggered.connect(self._on_full_screen_triggered)
        actions.quiz_mode.toggled.connect(self._on_quiz_mode_toggled)
        actions.hide_answers.triggered.connect(self._on_hide_answers_triggered)
        actions.black.triggered.connect(self._on_black_triggered)
        self.screens.chosen.connect(self._on_screens_chosen)
        self._area.resized.connect(self._on_room_resized)
        window.top.tab_changed.connect(self._on_top_tab_changed)
        window.closed.connect(self._on_window_closed)

    def _furnish(self) -> None:
        # Import late, as most sessions never present and startup should be fast.
        from gradviz.viewer.presenter.presenter_code import PresenterCode
        from gradviz.viewer.presenter.presenter_header import PresenterHeader
        from gradviz.viewer.presenter.presenter_values import PresenterValues

        window, state = self._window, self._state
        head = PresenterHeader(state, window.parts[LessonPlayer], window.messages)
        self._parts = PresenterParts(head, PresenterCode(state), PresenterValues(state))
        self._area.surround_pages(*self._parts)
        state.clicks.add(self._parts.values)
        self._graph.strip.hide()
        self._graph.surroundings.set_overlays_hidden(True)
        self._show_values()

    def _clear(self) -> None:
        self._area.clear()
        self._parts = None
        self._graph.strip.show()
        self._graph.surroundings.set_overlays_hidden(False)

    def _show_values(self) -> None:
        """Show code and values beside the graph only; other pages need the whole width."""
        space = self._area
        space.show_presenter_widgets(space.pages.currentWidget() is self._graph)

    def _fit_type_to_space(self) -> None:
        """Scale text and graph to the window's size, whatever the size of text is elsewhere."""
        height = fitting_height(self._window.size())
        self._themes.set_own_scale(scale_for(height))
        self._aim.set_least(least_pixels(height))

    def _show_enabled(self) -> None:
        actions = self._window.commands
        actions.present.setChecked(self._presenting)
        for action in (actions.black, actions.hide_answers, actions.pen, actions.spotlight):
            action.setEnabled(self._presenting)
        # Reset Layout would show the hidden docks.
        actions.restore.setEnabled(not self._presenting)

    def _show_answers(self) -> None:
        self._window.commands.quiz_mode.setChecked(False)

    def _close_or_leave(self) -> None:
        """Close what is in front of the stage; if there is nothing, leave Presenter Mode."""
        if not self.tools.close_one():
            self.leave()

    @Slot(bool)
    def _on_present_triggered(self, checked: bool) -> None:
        if self._presenting:
            self.leave()
        else:
            self.enter()

    @Slot()
    def _on_full_screen_triggered(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)
        self._state.presentation.screen = None

    @Slot()
    def _on_black_triggered(self) -> None:
        self.black.cover()

    @Slot(object)
    def _on_screens_chosen(self, screen: QScreen) -> None:
        self.enter(screen=screen)

    @Slot(bool)
    def _on_quiz_mode_toggled(self, quiz_mode: bool) -> None:
        if self._presenting:
            self._state.set_quiz_mode(quiz_mode)

    @Slot()
    def _on_hide_answers_triggered(self) -> None:
        if self._state.quiz_mode:
            self._state.set_answer_hidden()
        else:
            self._window.commands.quiz_mode.setChecked(True)
        if self._parts is not None:
            self._parts.head.explain_quiz_mode()

    @Slot()
    def _on_room_resized(self) -> None:
        if self._presenting:
            self._settling.start()

    @Slot(str)
    def _on_top_tab_changed(self, name: str) -> None:
        if self._presenting:
            self._frame.hide_docks()
            self._show_values()

    @Slot()
    def _on_window_closed(self) -> None:
        if self._presenting:
            self.stop()


class PresenterTraining(QObject):
    """Borrows the Training panel for runs that train, and puts it back into its dock."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._state, self._area = window.parts[ViewerState], window.parts[PresenterArea]
        self._shown = False
        self._state.presentation.presenting_changed.connect(self._show_if_wanted)
        self._state.trace_changed.connect(self._show_if_wanted)

    def _show_if_wanted(self) -> None:
        index = self._state.index
        presenting = self._state.presentation.presenting
        # In this order, since the second question takes long in a long run.
        wanted = presenting and index is not None and is_training(index)
        if wanted == self._shown:
            return
        self._shown = wanted
        panel = self._window.parts[TrainingPanel]
        panel.set_slim(wanted)
        if wanted:
            self._area.add_below_values(panel)
        else:
            self._window.docks["training"].setWidget(panel)

"""Opens lessons, gives the clicker to the player, and arranges the window for each stop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence

from gradviz.lesson.lesson import Lesson, LessonError
from gradviz.lesson.reading import read_lesson
from gradviz.lesson.shipped import is_shipped, shipped_path, shipped_version
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.stop_cover import StopCover
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.window.previous_run_overlay import PreviousRunOverlay

if TYPE_CHECKING:
    from gradviz.viewer.lesson.speaker_window import SpeakerWindow


class LessonController(QObject):
    """Connects the player with files, keys, docks and the graph.

    Signals:
        opened: Path of a user's lesson that is played.
    """

    opened = Signal(object)

    def __init__(self, context: PanelContext, player: LessonPlayer) -> None:
        super().__init__(context.window)
        self._window, self._state = context.window, context.state
        self._actions = context.actions
        self._player = player
        self._graph, self._compare = context.parts[GraphPanel], context.parts[CompareLauncher]
        self._overlay: PreviousRunOverlay | None = None
        self._keys: list[tuple[QAction, QAction, list[QKeySequence]]] = []
        self._speaker: SpeakerWindow | None = None
        self.cover = StopCover(context.window, context.state)
        actions = context.actions
        actions.next_stop.triggered.connect(player.next)
        actions.previous_stop.triggered.connect(player.previous)
        actions.leave_lesson.triggered.connect(player.leave)
        actions.speaker_view.triggered.connect(self._on_speaker_view_triggered)
        actions.present.toggled.connect(self._show_enabled)
        player.lesson_changed.connect(self._on_player_lesson_changed)
        player.stop_changed.connect(self._on_player_stop_changed)
        player.arrived.connect(self._end_pending)
        player.pending_changed.connect(self._on_player_pending_changed)
        player.replacing.connect(self.cover.keep_picture)
        self._graph.settled.connect(self._end_pending)
        self._compare.finished.connect(self._end_pending)
        self._state.presentation.ready_changed.connect(self._end_pending)
        context.window.closed.connect(self._on_window_closed)
        context.state.trace_changed.connect(self._on_state_trace_changed)
        self._on_state_trace_changed(context.state.index)
        self._show_enabled()

    def open_shipped(self, name: str) -> None:
        """Play a lesson that ships with gradviz."""
        self.open(shipped_path(name))

    def open(self, path: Path) -> None:
        """Play a lesson in Presenter Mode; if its file has a mistake, show a message instead."""
        # The command line names the file in the language of the locale.
        path = shipped_version(path)
        try:
            lesson = read_lesson(path)
        except LessonError as error:
            self._window.messages.say(str(error), "error")
            return
        if not lesson.stops:
            text = self.tr("{0} has no stops. Add some with [[stop]].")
            self._window.messages.say(text.format(path.name), "warning")
            return
        # Else the list in which it was chosen would cover the graph again after Presenter Mode.
        self._window.sides.overlay.close_panel()
        if not self._state.presentation.presenting:
            self._actions.present.trigger()
        self._player.play(lesson, path)
        if not is_shipped(path):
            self.opened.emit(path)

    def _show_enabled(self) -> None:
        actions, playing = self._actions, self._player.lesson is not None
        for action in (actions.next_stop, actions.previous_stop, actions.speaker_view):
            action.setEnabled(playing)
        # In Presenter Mode, Esc leaves that first; two enabled shortcuts would block each other.
        actions.leave_lesson.setEnabled(playing)
        keys = [QKeySequence("Esc")] if playing and not actions.present.isChecked() else []
        actions.leave_lesson.setShortcuts(keys)

    def _take_keys(self) -> None:
        """Give the keys of Next and Previous Step, which clickers send, to the stops."""
        if not self._keys:
            actions = self._actions
            pairs = ((actions.next, actions.next_stop), (actions.previous, actions.previous_stop))
            self._keys = [(step, stop, step.shortcuts()) for step, stop in pairs]
            for step, stop, keys in self._keys:
                step.setShortcuts([])
                stop.setShortcuts(keys)

    def _return_keys(self) -> None:
        for step, stop, keys in self._keys:
            stop.setShortcuts([])
            step.setShortcuts(keys)
        self._keys = []

    def _on_player_lesson_changed(self, lesson: Lesson | None) -> None:
        if lesson is not None:
            self._take_keys()
        else:
            self._return_keys()
            if self._speaker is not None:
                self._speaker.close()
        self._show_enabled()

    def _on_player_stop_changed(self, at: int) -> None:
        if self._player.problem:
            # The header of the stage, or the bar, says the same.
            self._window.messages.hide()
        is_other = bool(self._player.problem) and not self._player.has_arrived
        if self._overlay is None and is_other:
            self._overlay = PreviousRunOverlay(self._state, self._window.tabs)
        if self._overlay is not None:
            self._overlay.say(self.tr("Previous stop") if is_other else "")

    def _end_pending(self) -> None:
        """Show the stop once its graph and its comparison are there."""
        is_ready = self._state.presentation.is_ready
        if self._graph.is_settled and not self._compare.comparing and is_ready:
            self._player.end_pending()

    def _on_player_pending_changed(self, pending: bool) -> None:
        if pending:
            self.cover.wait()
        else:
            self.cover.end()

    def _on_state_trace_changed(self, index: object) -> None:
        self._actions.add_stop.setEnabled(index is not None)

    def _on_speaker_view_triggered(self) -> None:
        if self._speaker is None:
            from gradviz.viewer.lesson.speaker_window import SpeakerWindow

            self._speaker = SpeakerWindow(self._state, self._player, self._actions)
        self._speaker.show_beside(self._window)

    def _on_window_closed(self) -> None:
        self._player.leave()
        if self._speaker is not None:
            self._speaker.deleteLater()
            self._speaker = None

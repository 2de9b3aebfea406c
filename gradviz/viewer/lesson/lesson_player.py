"""Plays a lesson: one click after the other, from the first stop to the last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.view_target import ViewTarget
from gradviz.gallery.registry import UnknownSceneError, offer_of, scene
from gradviz.host.job_ending import JobEnding
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.selection import find_node, place_of
from gradviz.lesson.shipped import is_shipped
from gradviz.lesson.stop_runs import checked_runs, missing_runs
from gradviz.store.shipped_run import shipped_run_key, unpack_lesson_run
from gradviz.viewer.lesson.prepared_runs import PreparedRuns
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.view_navigator import ViewNavigator
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests

PREPARED = 3
"""Number of stops whose runs are prepared ahead."""

GLIMPSE_MS = 300
"""How long a stop is visible before a click is done that came while it was prepared."""


class LessonPlayer(QObject):
    """The lesson that is played, and its current stop.

    The current stop is the one that is shown: it changes when the run of the next one is there, and
    not before. Meanwhile, the last click is kept. A stop that cannot be shown has a problem, one
    sentence; the next click goes on.

    Attributes:
        lesson: The lesson that is played; None if there is none.
        path: The file of the lesson; None without a lesson.
        at: Position of the current stop, from 0.
        is_pending: Whether another stop is about to be shown.
        problem: Why the current stop cannot be shown, in one sentence; usually empty.
        has_arrived: Whether the place of the current stop is shown.

    Signals:
        lesson_changed: The `Lesson`, or None after the lesson was left.
        stop_changed: Position of the current stop, from 0; emitted again when its problem changes.
        pending_changed: Whether another stop is about to be shown.
        replacing: The shown run or comparison is about to be replaced by that of another stop.
        arrived: The place of the current stop is shown.
    """

    lesson_changed = Signal(object)
    stop_changed = Signal(int)
    pending_changed = Signal(bool)
    replacing = Signal()
    arrived = Signal()

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        requests: ViewRequests,
        controllers: tuple[RunController, ViewNavigator],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._requests = requests
        self._run_control, self._navigator = controllers
        self.runs = PreparedRuns(session, self)
        self.lesson: Lesson | None = None
        self.path: Path | None = None
        self.at = 0
        self._shows_stop = False
        self.has_arrived = False
        self._target: int | None = None
        self.is_pending = False
        self._kept_click: Callable[[], None] | None = None
        self._glimpse = QTimer(self, singleShot=True, interval=GLIMPSE_MS)
        self._glimpse.timeout.connect(self._on_glimpse_timeout)
        self._failed_runs: set[str] = set()
        self._starts = False
        self._awaited: Path | None = None
        self.problem = ""
        self._traces: dict[str, Path] = {}
        self._whole_clock, self._stop_clock = QElapsedTimer(), QElapsedTimer()
        self._spent_ms: list[int] = []
        session.activity_changed.connect(self._on_session_activity_changed)
        session.ended.connect(self._on_session_ended)
        session.failed.connect(self._on_session_failed)
        self.runs.finished.connect(self._on_runs_finished)
        self.runs.failed.connect(self._on_runs_failed)

    @property
    def stop(self) -> LessonStop | None:
        """The current stop; None without a lesson, and until its first stop is shown."""
        return self.lesson.stops[self.at] if self.lesson and self._shows_stop else None

    @property
    def elapsed_ms(self) -> int:
        """Time since the lesson was started."""
        return self._whole_clock.elapsed() if self._whole_clock.isValid() else 0

    def spent_ms(self, at: int) -> int:
        """Time spent at a stop so far, all visits together."""
        return self._spent_ms[at] + (self._stop_clock.elapsed() if at == self.at else 0)

    def play(self, lesson: Lesson, path: Path, at: int = 0) -> None:
        """Play a lesson with at least one stop, leaving the current one.

        Args:
            lesson: The lesson.
            path: Its file; paths of traces start from its folder.
            at: Position of the first stop to show.
        """
        self._drop()
        self.lesson, self.path = lesson, path.absolute()
        self._spent_ms = [0] * len(lesson.stops)
        self.at, self._starts = at, True
        self.runs.begin(checked_runs(lesson))
        self._whole_clock.start()
        self._stop_clock.start()
        self.lesson_changed.emit(lesson)
        self._begin(at)

    def change(self, lesson: Lesson, path: Path, at: int) -> None:
        """Replace the lesson by a changed one, without showing a stop.

        Args:
            lesson: The changed lesson.
            path: Its file.
            at: Position of the stop whose view is shown, or was changed.
        """
        if self.lesson is None:
            self.play(lesson, path, at)
            return
        self._spent_ms[self.at] += self._stop_clock.restart()
        # A name may now stand for another trace.
        self._forget_traces()
        spent = dict(zip(self.lesson.stops, self._spent_ms, strict=True))
        self._spent_ms = [spent.get(stop, 0) for stop in lesson.stops]
        self.lesson, self.path, self.at = lesson, path.absolute(), at
        self._shows_stop = True
        self._end_pending()
        self.lesson_changed.emit(lesson)
        self.stop_changed.emit(at)

    def leave(self) -> None:
        """Leave the lesson; the window keeps what it shows."""
        if self.lesson is not None:
            self._drop()
            self.lesson_changed.emit(None)

    def go_to(self, at: int) -> None:
        """Go to a stop; a position out of range does nothing."""
        if self.lesson is not None and 0 <= at < len(self.lesson.stops):
            self._begin(at)

    def next(self) -> None:
        """Reveal the answer, show the next build step, or go to the next step or stop."""
        stop = self.stop
        if self._keep(self.next):
            return
        if stop is None:
            # Opening the first one was canceled.
            self.go_to(self.at)
            return
        # The stage that asks a question hides its answer too, so a click reveals both.
        asks = bool(stop.question) and self._state.presentation.presenting
        if self.has_arrived and self._state.revealed.hides_answer:
            self._state.set_answer_hidden(False)
            if asks and not self._state.clicks.has_previous:
                self._state.clicks.forward()
        elif self._is_shown and self._state.clicks.forward():
            return
        elif self.has_arrived and self._has_more_steps(stop):
            self._state.go_to(self._state.number + 1)
        else:
            self.go_to(self.at + 1)

    def previous(self) -> None:
        """Take the last build step away, or go to the previous step or stop."""
        stop = self.stop
        if self._keep(self.previous):
            return
        if stop is None:
            # Opening the first one was canceled.
            self.go_to(self.at)
            return
        if self._is_shown and self._state.clicks.back():
            return
        if self.has_arrived and stop.steps and self._state.number > stop.number:
            self._state.go_to(self._state.number - 1)
        else:
            self.go_to(self.at - 1)

    @property
    def is_at_end(self) -> bool:
        """Whether the last stop is shown, and all of its steps were."""
        stop = self.stop
        if stop is None or self.lesson is None or self.at + 1 < len(self.lesson.stops):
            return False
        return bool(self.problem) or (self.has_arrived and not self._has_more_steps(stop))

    @property
    def _is_shown(self) -> bool:
        """Whether the current stop is shown, or why it cannot be."""
        return self.has_arrived or bool(self.problem)

    def _has_more_steps(self, stop: LessonStop) -> bool:
        """Whether the current stop shows another step, before the next stop's."""
        if self.lesson is None or not stop.steps:
            return False
        last = self.lesson.last_step(self.at)
        return self._state.number < (self._state.count if last is None else last)

    def end_pending(self) -> None:
        """Note that all of the current stop is visible; a click that came before is done soon."""
        if self.is_pending and self._target is None:
            kept = self._kept_click
            self._end_pending()
            if kept is not None:
                self._kept_click = kept
                self._glimpse.start()

    def _keep(self, click: Callable[[], None]) -> bool:
        """Keep a click for later if a stop is pending or was just shown; return whether it was."""
        if not self.is_pending and not self._glimpse.isActive():
            return False
        # Before the first stop there is nothing to go on from, and its question must be seen.
        self._kept_click = click if self._shows_stop else None
        return True

    def _on_glimpse_timeout(self) -> None:
        kept, self._kept_click = self._kept_click, None
        if kept is not None:
            kept()

    def _end_pending(self) -> None:
        if self._awaited is not None and self._session.activity == "opening":
            # Its run would replace what is shown, without its stop.
            self._session.cancel()
        self._target = self._awaited = self._kept_click = None
        self._glimpse.stop()
        if self.is_pending:
            self.is_pending = False
            self.pending_changed.emit(False)

    def _begin(self, at: int) -> None:
        """Get the run of a stop; the current one stays until it is there."""
        assert self.lesson is not None
        self._target, self._awaited, self._kept_click = at, None, None
        self._glimpse.stop()
        if not self.is_pending:
            self.is_pending = True
            self.pending_changed.emit(True)
        stop = self.lesson.stops[at]
        runs = missing_runs(self.lesson, self.lesson.stops[at : at + 1 + PREPARED])
        self.runs.prepare({name: runs[name] for name in runs if self._shipped_key(name) is None})
        try:
            self._open(stop)
        except UnknownSceneError:
            # Without the list of all scenes, for which the header has no space.
            self._fail(self.tr("There is no scene {0}.").format(repr(stop.scene)))

    def _open(self, stop: LessonStop) -> None:
        assert self.lesson is not None
        # An unknown scene is an error before its run is missed.
        offer = offer_of(scene(stop.scene)) if stop.scene else None
        path = self._recorded(stop.run)
        compared = stop.compared_run
        is_compared_missing = (
            compared in missing_runs(self.lesson, [stop])
            and compared not in self._failed_runs
            and self._recorded(compared) is None
        )
        if offer is not None and (path is None or is_compared_missing):
            # `finished` will bring us back.
            return
        if path is None:
            assert self.path is not None
            path = self.path.parent / stop.trace
        if self._session.trace_path == path and self._session.baseline is None:
            if compared:
                self.replacing.emit()
            self._arrive()
            return
        self.replacing.emit()
        self._awaited = path
        if offer is None:
            self._run_control.open_trace(path)
        else:
            self._run_control.show_recorded(path, offer)

    def _recorded(self, name: str) -> Path | None:
        """Path of a run that is embedded or shipped, which is written to a file, or prepared."""
        assert self.lesson is not None
        assert self.path is not None
        if name in self._traces:
            return self._traces[name]
        embedded, shipped = dict(self.lesson.traces).get(name), self._shipped_key(name)
        if embedded is None and shipped is None:
            return self.runs.path(name)
        path = self._traces[name] = self._session.files.new_path()
        self._session.files.hold(path)
        if embedded is not None:
            path.write_bytes(embedded)
        elif shipped is not None:
            unpack_lesson_run(_language_of(self.path), shipped, path)
        return path

    def _shipped_key(self, name: str) -> str | None:
        """Name under which a run of a shipped lesson ships; None if it does not."""
        assert self.lesson is not None
        assert self.path is not None
        if not is_shipped(self.path):
            return None
        is_checked = name in checked_runs(self.lesson)
        return shipped_run_key(_language_of(self.path), name, checked=is_checked)

    def _take_target(self) -> LessonStop:
        """Make the stop whose run is there the current one."""
        assert self.lesson is not None
        assert self._target is not None
        self._spent_ms[self.at] += self._stop_clock.restart()
        self.at, self._target, self._awaited = self._target, None, None
        self._shows_stop, self.has_arrived, self.problem = True, False, ""
        self._state.set_answer_hidden(False)
        return self.lesson.stops[self.at]

    def _arrive(self) -> None:
        stop = self._take_target()
        self.has_arrived = True
        # Otherwise a finer level would go into the step.
        self._state.set_level("node")
        index = self._state.index
        assert index is not None
        place, self.problem = place_of(index, stop)
        self._navigator.show(ViewTarget(step=position_path(place), tab=stop.tab))
        if stop.compared_run:
            self._requests.compare_with_scene(stop.compare, self._recorded(stop.compared_run))
        self._state.select(find_node(index, stop.select))
        # The stage asks by itself. In quiz mode, a rehearsal has revealed the answers.
        is_asked_here = bool(stop.question) and not self._state.presentation.presenting
        if is_asked_here or (self._starts and self._state.quiz_mode):
            self._state.set_answer_hidden()
        self._starts = False
        self.stop_changed.emit(self.at)
        # Only now, as the stage still had the pictures of the previous stop.
        self._state.clicks.rewind()
        self.arrived.emit()

    def _fail(self, sentence: str) -> None:
        self._take_target()
        self.problem = sentence
        self.stop_changed.emit(self.at)
        self.end_pending()

    def _drop(self) -> None:
        self.lesson, self.path, self.problem = None, None, ""
        self._shows_stop = self.has_arrived = False
        self._failed_runs.clear()
        self._end_pending()
        self._whole_clock.invalidate()
        self._state.set_answer_hidden(False)
        self.runs.clear()
        self._forget_traces()

    def _forget_traces(self) -> None:
        for path in self._traces.values():
            self._session.files.release(path)
        self._traces = {}

    def _awaiting(self, name: str) -> LessonStop | None:
        """The pending stop if it waits for a run."""
        if self.lesson is None or self._target is None or self._awaited is not None:
            return None
        stop = self.lesson.stops[self._target]
        return stop if name in (stop.run, stop.compared_run) else None

    def _on_session_activity_changed(self, activity: str) -> None:
        if activity == "idle" and self._awaited is not None:
            # The end of opening is reported now, unless it was canceled.
            QTimer.singleShot(0, self, self._give_up_canceled)

    def _give_up_canceled(self) -> None:
        if self._awaited is not None and self._session.activity == "idle":
            self._end_pending()

    def _on_session_ended(self, activity: str, ending: JobEnding | None) -> None:
        if self._awaited is None:
            return
        if self._session.trace_path == self._awaited:
            self._arrive()
        else:
            # Somebody has opened something else.
            self._end_pending()

    def _on_session_failed(self, sentence: str) -> None:
        # While it is still opened, something else has failed, such as saving a copy.
        if self._awaited is not None and self._session.activity == "idle":
            self._fail(sentence)

    def _on_runs_finished(self, name: str) -> None:
        stop = self._awaiting(name)
        if stop is not None:
            self._open(stop)

    def _on_runs_failed(self, name: str, sentence: str) -> None:
        self._failed_runs.add(name)
        stop = self._awaiting(name)
        if stop is not None and name == stop.run:
            self._fail(sentence)
        elif stop is not None:
            # The comparison says itself what is wrong.
            self._open(stop)


def _language_of(path: Path) -> str:
    """Code of the language of a shipped lesson."""
    return path.parent.name

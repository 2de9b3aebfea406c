"""Shows the story of the current place on the stage, one picture for each click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.selection import place_of
from gradviz.lesson.shipped import handout_command
from gradviz.model.check_settings import CheckSettings
from gradviz.model.step import ErrorStep
from gradviz.store.errors import TraceError
from gradviz.story.blocks import Block
from gradviz.story.click import Click
from gradviz.story.frame import Frame
from gradviz.story.frames import Progress, message_frame, story_frames
from gradviz.story.picture import uses_check
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import later_clicks, step_clicks, stop_clicks
from gradviz.story.summary import summary_frames
from gradviz.story.thumbnail import stop_picture
from gradviz.viewer.background import PATIENCE_MS, Background, BackgroundJob
from gradviz.viewer.compare.compare_clicks import compare_clicks
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.jacobians.check_clicks import check_clicks, start_click
from gradviz.viewer.jacobians.check_text import running_text
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.lesson_text import stop_title
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.session import Session
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.stage.stage_knob import StageKnob
from gradviz.viewer.state import ViewerState
from gradviz.viewer.what_if.controller import WhatIfController
from gradviz.viewer.window.top_bar import TABS

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow

_SETTLING_MS, _LANE = 80, "stage"


@dataclass(frozen=True, slots=True)
class _Story:
    """What there is to tell.

    Attributes:
        key: Equal for stories that tell the same.
        clicks: Makes the clicks; not in the GUI thread, as it may go through a whole run.
    """

    key: tuple[object, ...]
    clicks: Callable[[], tuple[Click, ...]] = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """What pictures are made of; equal ones have equal pictures.

    Attributes:
        story: What there is to tell.
        run: The run.
        place: The place in it.
        progress: Where it is in the whole lesson.
        problem: What is missing; usually empty.
        size: Size of the pictures.
        stop: The stop of a lesson that begins here; None for other places.
        seen: Small pictures of the stops that were shown.
        ended: The lesson whose summary follows; None if there is more to show before it.
        only: The click whose picture is drawn before all others; None for all.
        command: What the audience can call at home; may be empty.
    """

    story: _Story
    run: StoryRun
    place: TracePosition
    progress: Progress
    problem: str
    size: tuple[float, float]
    stop: LessonStop | None
    seen: dict[LessonStop, Block | None] = field(compare=False)
    ended: Lesson | None
    only: int | None
    command: str

    def frames(self) -> tuple[Frame, ...]:
        """Draw the pictures."""
        frames = story_frames(
            *(self.story.clicks(), self.run, self.place, self.progress, self.size, self.problem),
            only=self.only,
        )
        if self.only is not None:
            return frames
        if self.stop is not None:
            self.seen[self.stop] = stop_picture(self.stop, self.run)
        if self.ended is not None:
            frames += summary_frames(self.ended, self.seen, self.size, command=self.command)
        return frames


class Stage(QObject):
    """Makes the pictures of each place in the background, and shows them click by click.

    Attributes:
        view: Shows the pictures.
        knob: Turns the numbers in them.
        at: Position of the picture that is shown, from 0.
        frames: The pictures of the current place; empty until they are made.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, parts = window, window.parts
        self._state, self._background = parts[ViewerState], parts[Background]
        self._player, self._compare = parts[LessonPlayer], parts[CompareLauncher]
        self._session, self._checks = parts[Session], parts[CheckController]
        area = parts[PresenterArea]
        self.view = FrameView(self._state.theme, self._state.preferences, area)
        self.view.hide()
        what_if = parts[WhatIfController]
        self.knob = StageKnob(self.view, what_if.knob, self._state.theme, lambda: self._index)
        self._repeated = what_if.runs
        self._repeated.preview = self._preview
        self._repeated.check_settings = self._check_settings
        self._repeated.dropped.connect(self.refresh)
        self.at = 0
        self._run: StoryRun | None = None
        self._seen: dict[LessonStop, Block | None] = {}
        self.frames: tuple[Frame, ...] = ()
        self._scene: _Scene | None = None
        self._wanted: _Scene | None = None
        self._settling = QTimer(self, singleShot=True, interval=_SETTLING_MS)
        self._settling.timeout.connect(self.refresh)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._on_patience_timeout)
        self.view.resized.connect(self._settling.start)
        state = self._state
        for changed in (
            state.place_changed,
            state.revealed_changed,
            state.reports_changed,
            self._player.stop_changed,
            self._compare.finished,
            self._session.activity_changed,
        ):
            changed.connect(self.refresh)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._player.lesson_changed.connect(self._on_player_lesson_changed)
        self._player.pending_changed.connect(self._on_player_pending_changed)
        state.theme_changed.connect(self.view.update_theme)
        window.messages.said.connect(self._on_messages_said)

    @property
    def count(self) -> int:
        """Number of clicks at this place."""
        if self._awaits_check:
            return self.at + 2
        # An impatient click goes on from a place whose pictures are still being made.
        is_told = self._wanted is not None and self._wanted == self._scene
        return len(self.frames) if is_told and self.view.isVisible() else 0

    def go_to(self, at: int) -> None:
        """Show the picture of a click; on a page of Jacobians without a check, start one."""
        if self._awaits_check and at > self.at:
            self._checks.check(1)
            return
        self.at = at
        self._show_picture(moves=True)

    @property
    def _awaits_check(self) -> bool:
        """Whether the audience sees the page of a check that was not made."""
        index = self._state.index
        return (
            self._state.presentation.presenting
            and self._player.stop is None
            and self._tab == "jacobians"
            and index is not None
            and not index.trace.reports
            and self._session.activity == "idle"
            and self._checks.panel().bar.check_button.isEnabled()
        )

    @property
    def _tab(self) -> str:
        return TABS[self._window.top.tabs.currentIndex()]

    @property
    def _index(self) -> TraceIndex | None:
        """The run that is shown: the next one as soon as it is there."""
        return self._repeated.coming or self._state.index

    def _check_settings(self) -> CheckSettings | None:
        """How a repeated run is checked: as the recorded one was, if the stop shows its curve."""
        stop, baseline = self._player.stop, self._session.baseline
        index = self._state.index if baseline is None else baseline.index
        if stop is None or index is None or not any(map(uses_check, stop.show)):
            return None
        for report in index.trace.reports[-1:]:
            return CheckSettings(
                eps=report.eps,
                atol=report.atol,
                rtol=report.rtol,
                nondet_tol=report.nondet_tol,
                undefined=False,
                battery=False,
            )
        return None

    def _preview(self) -> bool:
        """Draw a repeated run before the other views of the window; return whether it is drawn."""
        if not self.view.isVisible() or not self.frames:
            return False
        self.refresh()
        return True

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if self._run is not None and self._run.index is not index:
            self._run = None
        self.refresh()

    def _on_player_lesson_changed(self, lesson: Lesson | None) -> None:
        self._seen = {}
        self.refresh()

    def _on_player_pending_changed(self, pending: bool) -> None:
        if pending:
            # What is shown until the next stop is there is one picture, and not two on their way.
            self.view.end_motion()

    def _on_messages_said(self, text: str, tone: str) -> None:
        # The window's own place for them is hidden. A step of its own says how a run failed.
        index = self._state.index
        last = () if index is None else index.trace.steps[-1:]
        if not any(isinstance(step, ErrorStep) for step in last):
            self.view.say(text)

    def refresh(self) -> None:
        """Make the pictures of the current place, unless they are there."""
        stop, is_seen = self._player.stop, self.view.isVisible()
        if is_seen and stop is not None and stop.compared_run and self._compare.comparing:
            # Its picture would say that there is nothing to compare with.
            self._background.cancel(_LANE)
            self._wanted = None
            self._state.presentation.set_ready(False)
            return
        if not is_seen:
            self._state.presentation.set_ready(True)
            if self._wanted is not None and not self._state.presentation.presenting:
                self._forget()
            return
        wanted = self._current()
        if wanted is None or wanted == self._wanted:
            return
        self._wanted = wanted
        if self._scene is None or self._scene.story != wanted.story:
            # What is shown stays until the pictures are there, and no click goes back in it.
            self.at = 0
        self._state.presentation.set_ready(False)
        self._patience.start()

        def make(job: BackgroundJob) -> tuple[Frame, ...]:
            return wanted.frames()

        def done(frames: tuple[Frame, ...]) -> None:
            self._show(wanted, frames)

        def failed(error: Exception) -> None:
            self._show(wanted, (message_frame("", str(error), wanted.progress, wanted.size),))

        # One at a time, as a run is for one thread at a time.
        self._background.start(
            make, done, failed, lane=_LANE, expected=(TraceError,), computes=True
        )

    def _show(self, scene: _Scene, frames: tuple[Frame, ...]) -> None:
        before = self._scene
        is_same = before is not None and before.story == scene.story
        if scene.only is not None:
            # The others follow.
            frames = (*self.frames[: scene.only], *frames, *self.frames[scene.only + 1 :])
        self._scene, self.frames = scene, frames
        self.at = min(self.at, len(frames) - 1)
        moves = before is not None and before.run is scene.run and not is_same
        self._show_picture(moves=moves)
        self._patience.stop()
        self._state.presentation.set_ready(True)
        self._state.clicks.announce()
        if scene.only is not None:
            self.view.repaint()
            self._repeated.show()

    def _forget(self) -> None:
        """Show nothing, rather than another place, when the stage is seen again."""
        self._background.cancel(_LANE)
        self._patience.stop()
        self._scene = self._wanted = None
        self.frames = ()
        self.view.show_frame(None)

    def _on_patience_timeout(self) -> None:
        if self.view.frame is None:
            self.view.say(self.tr("Please wait"))

    def _show_picture(self, *, moves: bool) -> None:
        pictures = self.frames[self.at : self.at + 2]
        self.view.show_frame(pictures[0] if pictures else None, moves=moves)
        self._state.presentation.set_pictures(pictures)

    @property
    def has_story(self) -> bool:
        """Whether there are pictures for the page in front; otherwise the page shows itself."""
        return self._player.stop is not None or self._story_of_page() is not None

    def _current(self) -> _Scene | None:
        state, player = self._state, self._player
        index, place = self._index, state.place
        if index is None or place is None:
            return None
        stop, lesson, story, shown = player.stop, player.lesson, None, None
        progress = Progress(at=0, count=1)
        run = self._run_of(index)
        if lesson is not None:
            # The summary is the last one.
            progress = Progress(at=player.at, count=len(lesson.stops) + 1)
        if stop is not None and player.has_arrived:
            at, _ = place_of(index, stop)
            if at.step == place.step:
                place, told, shown = at, stop, stop
                story = _Story((stop,), lambda: stop_clicks(told, run, at))
            elif stop.steps and (later := self._story_of_page()) is not None:
                told, shows = stop, later
                story = _Story((stop, *later.key), lambda: later_clicks(told, shows.clicks()))
        elif stop is not None and player.problem:
            # The run is that of another stop.
            click = Click(topic="", headline=stop_title(stop), text="")
            story = _Story((click,), lambda: (click,))
        story = story or self._story_of_page()
        if story is None:
            return None
        return _Scene(
            story=story,
            run=run,
            place=place,
            progress=progress,
            problem=player.problem,
            size=self.view.wanted_size,
            stop=shown,
            seen=self._seen,
            ended=lesson if player.is_at_end else None,
            only=None if self._repeated.coming is None else self.at,
            command=handout_command(player.path) if player.path else "",
        )

    def _story_of_page(self) -> _Story | None:
        """What is told of the page in front; None if it has nothing to tell yet."""
        state, tab = self._state, self._tab
        index, place = self._index, state.place
        if index is None or place is None:
            return None
        if tab == "jacobians":
            return self._story_of_check(index) if state.revealed.is_complete else None
        if tab == "compare":
            compared = self._compare.shown
            if compared is None:
                return None
            return _Story((tab, id(compared[0])), lambda: compare_clicks(compared[0]))
        run, asks = self._run_of(index), state.revealed.hides_answer
        subject = index.trace.origin.subject
        return _Story((tab, place, asks, subject), lambda: step_clicks(run, place, asks=asks))

    def _story_of_check(self, index: TraceIndex) -> _Story | None:
        """What is told of the last check, or of what one would do."""
        run, reports = self._run_of(index), index.trace.reports
        if reports:
            return _Story(("check", id(reports[-1])), lambda: check_clicks(reports[-1], run))
        name = self._checks.subject_name
        note = running_text() if self._session.activity == "checking" else ""
        return (
            _Story(("check", name, note, run), lambda: (start_click(name, note),)) if name else None
        )

    def _run_of(self, index: TraceIndex) -> StoryRun:
        """The run of an index, with the one that it is compared with."""
        compared = self._compare.shown
        other = None if compared is None else compared[0].right
        run = self._run
        known = None if run is None or run.other is None else run.other.index
        if run is None or run.index is not index or known is not other:
            run = StoryRun(index=index, other=None if other is None else StoryRun(index=other))
            self._run = run
        return run

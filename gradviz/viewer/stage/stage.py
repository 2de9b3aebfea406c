"""Shows the story of the current place on the stage, one picture for each click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.lesson.selection import place_of
from gradviz.store.errors import TraceError
from gradviz.story.click import Click
from gradviz.story.frame import Frame
from gradviz.story.frames import Progress, message_frame, story_frames
from gradviz.story.picture import StoryRun
from gradviz.story.step_clicks import step_clicks, stop_clicks
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.click_sequence import BuildSteps
from gradviz.viewer.compare.compare_ideas import compare_clicks
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.jacobians.check_ideas import check_clicks
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.lesson_text import stop_title
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.top_bar import TABS

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow

_SETTLING_MS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """What pictures are made of; equal ones have equal pictures.

    Attributes:
        clicks: The clicks.
        run: The run.
        place: The place in it.
        progress: Where it is in the whole story.
        problem: What is missing; usually empty.
        size: Size of the pictures.
    """

    clicks: tuple[Click, ...]
    run: StoryRun
    place: TracePosition
    progress: Progress
    problem: str
    size: tuple[float, float]


class Stage(QObject, BuildSteps):
    """Makes the pictures of each place in the background, and shows them click by click.

    Attributes:
        view: Shows the pictures.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._state = window.parts[ViewerState]
        self._background = window.parts[Background]
        self._player = window.parts[LessonPlayer]
        self._compare = window.parts[CompareLauncher]
        area = window.parts[PresenterArea]
        self.view = FrameView(self._state.theme, self._state.preferences, area)
        self.view.hide()
        self._runs: dict[int, StoryRun] = {}
        self._frames: tuple[Frame, ...] = ()
        self._scene: _Scene | None = None
        self._wanted: _Scene | None = None
        self._settling = QTimer(self, singleShot=True, interval=_SETTLING_MS)
        self._settling.timeout.connect(self.refresh)
        self.view.resized.connect(self._settling.start)
        state = self._state
        for changed in (state.place_changed, state.revealed_changed, state.reports_changed):
            changed.connect(self.refresh)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.theme_changed.connect(self.view.update_theme)
        self._player.stop_changed.connect(self.refresh)
        self._player.lesson_changed.connect(self.refresh)
        self._compare.finished.connect(self.refresh)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The pictures of the current place; empty until they are made."""
        return self._frames

    @property
    def count(self) -> int:
        """Number of clicks at this place."""
        return len(self._frames) if self.view.isVisible() else 0

    def go_to(self, at: int) -> None:
        """Show the picture of a click."""
        self.at = at
        self.view.show_frame(self._frames[at], moves=True)

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._runs.clear()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Make the pictures of the current place, unless they are there."""
        if not self.view.isVisible():
            return
        wanted = self._current()
        if wanted is None or wanted == self._wanted:
            return
        self._wanted = wanted
        self._state.presentation.set_ready(False)

        def make(job: BackgroundJob) -> tuple[Frame, ...]:
            return story_frames(
                wanted.clicks,
                wanted.run,
                wanted.place,
                wanted.progress,
                wanted.size,
                wanted.problem,
            )

        def done(frames: tuple[Frame, ...]) -> None:
            self._show(wanted, frames)

        def failed(error: Exception) -> None:
            headline = wanted.clicks[0].headline
            self._show(wanted, (message_frame(headline, str(error), wanted.progress, wanted.size),))

        self._background.start(make, done, failed, lane="stage", expected=(TraceError,))

    def _show(self, scene: _Scene, frames: tuple[Frame, ...]) -> None:
        before = self._scene
        is_same = before is not None and before.clicks == scene.clicks
        self._scene, self._frames = scene, frames
        self.at = min(self.at, len(frames) - 1) if is_same else 0
        moves = before is not None and before.run is scene.run
        self.view.show_frame(frames[self.at] if frames else None, moves=moves and not is_same)
        self._state.presentation.set_ready(True)
        self._state.clicks.announce()

    @property
    def has_story(self) -> bool:
        """Whether there are pictures for the page in front; otherwise the page shows itself."""
        return self._player.stop is not None or self._clicks_of_page() is not None

    def _current(self) -> _Scene | None:
        state, player = self._state, self._player
        index, place = state.index, state.place
        if index is None or place is None:
            return None
        stop, lesson = player.stop, player.lesson
        problem, progress = player.problem, Progress(at=0, count=1)
        clicks = None
        if lesson is not None:
            progress = Progress(at=player.at, count=len(lesson.stops))
        if stop is not None and player.has_arrived:
            at, _ = place_of(index, stop)
            if at.step == place.step:
                place, clicks = at, stop_clicks(stop, index, at)
        elif stop is not None and problem:
            # The run is that of another stop.
            clicks = (Click(topic="", headline=stop_title(stop), text=""),)
        clicks = clicks or self._clicks_of_page()
        if clicks is None:
            return None
        return _Scene(
            clicks=clicks,
            run=self._run_of(index),
            place=place,
            progress=progress,
            problem=problem,
            size=self.view.wanted_size,
        )

    def _clicks_of_page(self) -> tuple[Click, ...] | None:
        """What is shown of the page in front; None if it has nothing to show yet."""
        state, tab = self._state, TABS[self._window.top.tabs.currentIndex()]
        index, place = state.index, state.place
        if index is None or place is None:
            return None
        if tab == "jacobians":
            reports = index.trace.reports if state.revealed.is_complete else ()
            return check_clicks(reports[-1]) if reports else None
        if tab == "compare":
            compared = self._compare.shown
            return None if compared is None else compare_clicks(compared[0])
        return step_clicks(index, place, asks=state.revealed.hides_answer)

    def _run_of(self, index: TraceIndex) -> StoryRun:
        """The run of an index, with the one that it is compared with."""
        compared = self._compare.shown
        other = None if compared is None else compared[0].right
        key = hash((id(index), id(other)))
        if key not in self._runs:
            self._runs = {
                key: StoryRun(index=index, other=None if other is None else StoryRun(index=other))
            }
        return self._runs[key]

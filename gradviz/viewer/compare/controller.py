"""Controller of the Compare tab: runs, compares and shows the chosen run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QStackedWidget

from gradviz.analysis.compare.graph_marks import GraphMarks, graph_marks
from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iteration_index import index_of_iteration
from gradviz.analysis.training.iterations import nearest_iteration
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.catalogue.visible_text import visible_text
from gradviz.gallery.registry import UnknownSceneError
from gradviz.model.inputs import Offer
from gradviz.store.errors import TraceError
from gradviz.store.file_kind import kind_of
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.compare.candidates import (
    CompareCandidate,
    candidates_for,
    iteration_candidate,
    iteration_candidates,
    rank_candidates,
    scene_candidate,
)
from gradviz.viewer.compare.other_run import OtherRunLoader
from gradviz.viewer.compare.panel import ComparePanel
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.work_status import running_text
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar

LANE = "beside"

ComparisonResult = tuple[
    RunComparison, tuple[GraphMarks, GraphMarks], tuple[NonFiniteReach, NonFiniteReach]
]


class CompareController(QObject):
    """Runs the chosen code, compares it with the current run, and shows the result.

    Signals:
        finished: A comparison is shown, or there is none.
        work_changed: What is in progress, without full stop; empty if nothing is.
    """

    finished = Signal()
    work_changed = Signal(str)

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        actions: Actions,
        window_parts: tuple[QStackedWidget, MessageBar],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._session, self._background = state, session, background
        self._actions = actions
        pages, self._messages = window_parts
        self._read: list[CompareCandidate] = []
        self._wanted: CompareCandidate | None = None
        self._shown: CompareCandidate | None = None
        self._comparing = False
        self._note = ""
        self._subject = self._subject_now()
        self.panel = ComparePanel(state, background, actions)
        self.run = OtherRunLoader(session, background, self)
        pages.addWidget(self.panel)
        self._connect()
        self.panel.say(*self._hint())
        self.refresh()

    def _connect(self) -> None:
        self.panel.bar.chosen.connect(self.choose)
        self.panel.pair_changed.connect(self._on_panel_pair_changed)
        self.panel.iteration_left.connect(self._compare)
        self.run.progressed.connect(self._on_run_progressed)
        self.run.shown.connect(self._on_run_shown)
        self.run.described.connect(self.choose_offers)
        self.run.failed.connect(self._fail)
        self.run.noted.connect(self._on_run_noted)
        self._session.offer_changed.connect(self._on_session_offer_changed)
        self._session.ready_changed.connect(self.refresh)
        self._state.trace_changed.connect(self._on_state_trace_changed)
        self._state.reports_changed.connect(self._on_state_reports_changed)
        actions = self._actions
        actions.next_compare_difference.triggered.connect(lambda: self._step(forward=True))
        actions.previous_compare_difference.triggered.connect(lambda: self._step(forward=False))

    @property
    def busy(self) -> bool:
        """Whether a run, comparison or layout is in progress."""
        return self.comparing or not self.panel.is_settled

    @property
    def comparing(self) -> bool:
        """Whether a run or comparison is in progress."""
        return self.run.busy or self._comparing

    def refresh(self) -> None:
        """Update the list of runs to compare with."""
        choices = self._choices(self._session.offer)
        self.panel.bar.offer(choices, self._wanted or self._shown)

    def _choices(self, offer: Offer | None) -> list[CompareCandidate]:
        """What a run of an offer can be compared with, the best first."""
        index, session, iterations = self._state.index, self._session, self._state.iterations
        rank = None if index is None else index.trace.scope.rank
        chosen = self._wanted or self._shown
        number = None if chosen is None else chosen.iteration
        devices = () if session.ready is None else session.ready.devices
        return [
            *rank_candidates(rank, session.trace_path),
            *iteration_candidates(iterations.all, iterations.current, number),
            *candidates_for(offer, session.before, devices, self._read),
        ]

    def choose(self, choice: CompareCandidate) -> None:
        """Show another run on the right, recording or opening it first."""
        if choice.kind == "browse":
            self._browse()
            return
        if self._state.index is None:
            self._fail(self.tr("There is nothing to compare yet. Run or open something first."))
            return
        self._wanted = choice
        self._note = choice.note
        self.panel.bar.show_shown(choice)
        if choice.iteration is not None:
            # Its signal starts the comparison.
            self.run.clear()
        elif choice.path is not None:
            self.work_changed.emit(self.tr("Opening the trace"))
            self.run.open(choice.path)
        elif choice.offer is not None:
            self.work_changed.emit(self.tr("Running the code"))
            self.run.record(choice.offer)

    def choose_iteration(self, number: int) -> None:
        """Compare the current iteration with another one of the same run."""
        self.choose(iteration_candidate(number))

    def choose_scene(self, scene_id: str, path: Path | None = None) -> None:
        """Compare with a scene of the gallery, using the inputs of the current run.

        Args:
            scene_id: The scene.
            path: Its trace, if it is recorded already.
        """
        try:
            self.choose(replace(scene_candidate(scene_id, self._session.offer), path=path))
        except UnknownSceneError as error:
            self._messages.say(str(error), "error")

    def close(self) -> None:
        """Cancel running work and release the right run."""
        self._background.cancel(LANE)
        self.panel.forget()
        self.run.close()

    def _subject_now(self) -> str:
        index = self._state.index
        return "" if index is None else index.trace.origin.subject

    def _hint(self) -> tuple[str, str]:
        return (
            self.tr("Nothing to compare with yet"),
            self.tr(
                "Choose a run to compare with: a matching scene, the previous run, the "
                "same run in another dtype, or a file. Both runs then step together."
            ),
        )

    def _browse(self) -> None:
        self.panel.bar.show_shown(self._shown)
        patterns = self.tr("Python files and traces (*.py *.gradviz)")
        title = self.tr("Compare With")
        name, _ = QFileDialog.getOpenFileName(self.panel, title, "", patterns)
        if name:
            self.choose_file(Path(name))

    def choose_file(self, path: Path) -> None:
        """Compare with a trace, or with the first entry of a Python file."""
        if kind_of(path) == "python":
            self.work_changed.emit(self.tr("Reading the file"))
            self.run.describe(path.absolute())
            return
        choice = CompareCandidate(kind="trace", title=visible_text(path.name), path=path)
        self._keep([choice])
        self.choose(choice)

    def choose_offers(self, offers: Sequence[Offer]) -> None:
        """List offers of a file to compare with, and compare with the first one."""
        title = self.tr("{0} in {1}")
        found = [
            CompareCandidate(
                kind="offer",
                title=title.format(
                    visible_text(each.title), visible_text(Path(each.subject.path).name)
                ),
                offer=each,
            )
            for each in offers
        ]
        self._keep(found)
        chosen = candidates_for(self._session.offer, None, (), found[:1])
        self.choose(next(each for each in chosen if each.kind == "offer"))

    def _keep(self, choices: list[CompareCandidate]) -> None:
        titles = {choice.title for choice in choices}
        self._read = [*choices, *(each for each in self._read if each.title not in titles)]
        self.refresh()

    def _fail(self, sentence: str) -> None:
        self.work_changed.emit("")
        self._wanted = None
        if self.panel.found is None:
            self._shown = None
            self.panel.say(*self._hint())
        self.panel.bar.show_shown(self._shown)
        if sentence:
            self._messages.say(sentence, "error")
        self.finished.emit()

    def _clear(self) -> None:
        self._background.cancel(LANE)
        self._comparing = False
        self._shown = self._wanted = None
        self.panel.say(*self._hint())
        self.work_changed.emit("")
        self.run.clear()
        self.finished.emit()

    def _compare(self) -> None:
        left, right = self._sides()
        if left is None or right is None:
            return
        self._comparing = True
        self.work_changed.emit(self.tr("Comparing the runs"))

        def work(job: BackgroundJob) -> ComparisonResult:
            found = compare_runs(left, right, job.pause)
            marks = [graph_marks(found, left=side, pause=job.pause) for side in (True, False)]
            for index in (left, right):
                index.finite.look(cancelled=job.cancelled)
            reaches = NonFiniteReach(left, job.cancelled), NonFiniteReach(right, job.cancelled)
            return found, (marks[0], marks[1]), reaches

        self._background.start(
            work,
            self._show,
            self._on_comparison_failed,
            lane=LANE,
            expected=(TraceError,),
            computes=True,
        )

    def _sides(self) -> tuple[TraceIndex | None, TraceIndex | None]:
        """The runs to compare, or two iterations of the window's own run."""
        index, choice = self._state.index, self._wanted or self._shown
        iterations = self._state.iterations
        number = None if choice is None else choice.iteration
        if index is None or number is None or iterations.current is None:
            return index, self.run.index
        other = nearest_iteration(iterations.all, number)
        return index_of_iteration(index, iterations.current), index_of_iteration(index, other)

    def _is_current(self, found: RunComparison) -> bool:
        """Whether a comparison is about the trace that the window shows."""
        index = self._state.index
        return index is not None and found.left.tensor is index.tensor

    def _show(self, result: ComparisonResult) -> None:
        self._comparing = False
        self.work_changed.emit("")
        found, marks, reaches = result
        own = self._state.reader
        readers = own, own if found.left.iteration else self.run.reader
        if readers[0] is None or readers[1] is None or not self._is_current(found):
            self.finished.emit()
            return
        self._shown, self._wanted = self._wanted or self._shown, None
        self.panel.show_runs(found, (readers[0], readers[1]), marks, reaches)
        self.refresh()
        if self._note:
            self._messages.say(self._note, "info")
        self.finished.emit()

    def _on_comparison_failed(self, error: Exception) -> None:
        self._comparing = False
        self._fail(str(error))

    def _step(self, forward: bool) -> None:
        """Go to the nearest mismatch after or before the pair that is shown."""
        found = self.panel.found
        if found is None or self.panel.is_awaiting_reveal:
            return
        pairs = [(each.left, each.right) for each in found.mismatches]
        if self.panel.pair in pairs:
            at = pairs.index(self.panel.pair) + (1 if forward else -1)
        else:
            current_step = self.panel.pair[0] or 0
            behind = [at for at, (left, _) in enumerate(pairs) if (left or 0) > current_step]
            first = behind[0] if behind else len(pairs)
            at = first if forward else first - 1
        if 0 <= at < len(pairs):
            self.panel.show_pair(pairs[at])

    def _on_panel_pair_changed(self) -> None:
        found = self.panel.found
        some = found is not None and bool(found.mismatches) and not self.panel.is_awaiting_reveal
        self._actions.next_compare_difference.setEnabled(some)
        self._actions.previous_compare_difference.setEnabled(some)

    def stop(self) -> None:
        """Stop the run on the right and the comparison, if any is in progress."""
        if not self.comparing:
            return
        self._background.cancel(LANE)
        self._comparing = False
        self.run.cancel()
        self._fail("")

    def _on_run_progressed(self, done: int) -> None:
        self.work_changed.emit(running_text(done))

    def _on_run_shown(self) -> None:
        """Drop references to the old right run, which is about to be closed."""
        self.panel.forget()
        self._compare()

    def _on_run_noted(self, sentence: str) -> None:
        self._note = sentence

    def _on_state_trace_changed(self, index: object) -> None:
        """Drop references to the left run, which is about to be closed."""
        self._background.cancel(LANE)
        self._comparing = False
        self.panel.forget()

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        """Compare a new run of the same subject with the same choice again; otherwise reset."""
        shown = self._wanted or self._shown
        was, self._subject = self._subject, self._subject_now()
        choices = self._choices(offer)
        again = [each for each in choices if shown is not None and shown.is_like(each)]
        self._clear()
        self.refresh()
        if was == self._subject and again:
            self.choose(again[0])

    def _on_state_reports_changed(self, reports: object) -> None:
        """Compare again after a check has appended to the left trace and reopened it."""
        found = self.panel.found
        if found is not None and not self._is_current(found):
            self.panel.forget()
            self._compare()

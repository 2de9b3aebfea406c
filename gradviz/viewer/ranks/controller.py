"""Shows the ranks of the program whose trace is shown, and changes from one to another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import structs
from msgspec.structs import replace
from PySide6.QtCore import QObject

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.position.view_target import ViewTarget
from gradviz.model.settings.rank import Rank
from gradviz.store.errors import TraceError
from gradviz.store.header import trace_stamp
from gradviz.store.rank_files import rank_paths
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.ranks.rank_run import (
    RankMark,
    RankRun,
    RankSummary,
    rank_run,
    ranks_document,
    read_rank_run,
)
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.view_navigator import ViewNavigator
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.panel import TimelinePanel

if TYPE_CHECKING:
    from gradviz.analysis.compare.phase_alignment import PhaseAlignment
    from gradviz.viewer.rows.rows_view import RowsView

LANE = "ranks"
_MOST_ROWS = 4
"""Number of rows that are visible at once above the timeline."""


class RankController(QObject):
    """Reads the traces beside the one that is shown, in the background."""

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        actions: Actions,
        window_parts: tuple[TimelinePanel, ViewNavigator],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._session, self._background = state, session, background
        self._actions = actions
        self._timeline, self._navigator = window_parts
        self._view: RowsView | None = None
        self._marks: dict[int, tuple[RankMark, ...]] = {}
        self._rank: Rank | None = None
        self._paths: dict[int, Path] = {}
        self._runs: dict[int, RankRun] = {}
        actions.next_rank.triggered.connect(lambda: self._go(1))
        actions.previous_rank.triggered.connect(lambda: self._go(-1))
        state.trace_changed.connect(self._on_state_trace_changed)
        state.revealed_changed.connect(self._show)
        self._on_state_trace_changed(state.index)

    def show_rank(self, number: int, step: int) -> None:
        """Show another rank, or the same one, at what corresponds to a step of the shown one."""
        if self._rank is not None and number == self._rank.number:
            self._state.go_to(step)
            return
        run, place = self._runs.get(number), self._state.place
        path = ""
        if run is not None and not run.problem and place is not None:
            there = _aligned(self._phases, run.phases).nearest(step)
            # The other ranks usually execute the same lines.
            inside = place if place.step == step else TracePosition(step=step)
            path = position_path(replace(inside, step=there))
        self._navigator.show(ViewTarget(trace=str(self._paths[number]), step=path))

    @property
    def _phases(self) -> tuple[RunPhase, ...]:
        index = self._state.index
        return () if index is None else index.phases

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        rank = None if index is None else index.trace.scope.rank
        paths = rank_paths(rank, self._session.trace_path)
        self._rank, self._paths = (rank, paths) if len(paths) > 1 else (None, {})
        self._runs = {
            number: run for number, run in self._runs.items() if run.path == paths.get(number)
        }
        if self._rank is not None and index is not None:
            number = self._rank.number
            self._runs[number] = rank_run(self._paths[number], index)
            self._read(self._rank, index)
        self._show()

    def _read(self, rank: Rank, index: TraceIndex) -> None:
        """Look at the shown run in the background, and at others that are new or have changed."""
        shown = self._paths[rank.number]
        others = {
            number: path
            for number, path in self._paths.items()
            if number != rank.number
            and (number not in self._runs or self._runs[number].stamp != trace_stamp(path))
        }

        def read(job: BackgroundJob) -> dict[int, RankRun]:
            runs = {rank.number: rank_run(shown, index, job)}
            for number, path in others.items():
                runs[number] = read_rank_run(path, structs.replace(rank, number=number), job)
            return runs

        # The values of the shown run can become unreadable; the tensor view reports that.
        self._background.start(
            read, self._add, lambda _: None, lane=LANE, expected=(TraceError,), computes=True
        )

    def _add(self, runs: dict[int, RankRun]) -> None:
        self._runs |= runs
        self._show()

    def _show(self) -> None:
        numbers = list(self._paths)
        at = -1 if self._rank is None else numbers.index(self._rank.number)
        self._actions.previous_rank.setEnabled(at > 0)
        self._actions.next_rank.setEnabled(0 <= at < len(numbers) - 1)
        if self._view is None and not numbers:
            return
        ranks = {}
        for number in numbers:
            run = self._runs.get(number)
            steps = _aligned(() if run is None else run.phases, self._phases)
            shows = self._state.revealed.shows
            ranks[number] = RankSummary(number=number, run=run, steps=steps, shows=shows)
        self._marks = {number: rank.marks for number, rank in ranks.items()}
        view = self._view = self._view or self._make_view()
        view.show_document(ranks_document(ranks, -1 if self._rank is None else self._rank.number))
        view.setVisible(bool(numbers))
        view.setFixedHeight(view.height_of(min(len(numbers), _MOST_ROWS)) + 2)

    def _make_view(self) -> RowsView:
        # Imported when the first trace with several ranks is shown.
        from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView

        view = RowsView(self._timeline.theme, (ColumnWidth(150, most=260), ColumnWidth(100)))
        view.setHeaderHidden(True)
        view.setAccessibleName(self.tr("Ranks"))
        view.chosen.connect(self._on_view_chosen)
        self._timeline.place_ranks(view)
        return view

    def _on_view_chosen(self, key: object, column: int) -> None:
        """Show a rank at the current step, or at the step of one of its marks."""
        if isinstance(key, int):
            self.show_rank(key, self._state.number)
        else:
            number, at = cast("tuple[int, int]", key)
            self.show_rank(number, self._marks[number][at][0])

    def _go(self, by: int) -> None:
        numbers = list(self._paths)
        if self._rank is not None:
            self.show_rank(numbers[numbers.index(self._rank.number) + by], self._state.number)


def _aligned(phases: Sequence[RunPhase], others: Sequence[RunPhase]) -> PhaseAlignment:
    from gradviz.analysis.compare.phase_alignment import PhaseAlignment

    return PhaseAlignment(phases, others)

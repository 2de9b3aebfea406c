"""Shows the ranks of the program whose trace is shown, and changes from one to another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from msgspec import structs
from PySide6.QtCore import QObject

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.position.view_target import ViewTarget
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.document.document import Document, Field, Row
from gradviz.model.columns import PASS_END
from gradviz.model.settings.rank import Rank
from gradviz.model.step import PassEndStep
from gradviz.store.errors import TraceError
from gradviz.store.header import TraceStamp, trace_stamp
from gradviz.store.rank_files import rank_paths
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.trace_opening import open_with_index
from gradviz.viewer.session.view_navigator import ViewNavigator
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.timeline.timeline_marks import TimelineMark, marks_of, marks_of_values
from gradviz.viewer.translation import translate

if TYPE_CHECKING:
    from gradviz.analysis.compare.step_pairing import PhaseAlignment
    from gradviz.viewer.rows.rows_view import RowsView


LANE = "ranks"
_MOST_ROWS = 4
"""Number of rows that are visible at once above the timeline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRun:
    """A run without its graph and tensors, so that those of many ranks can be kept.

    Attributes:
        path: Its trace.
        stamp: Stamp of that file when it was read.
        phases: The phases, in order.
        marks: Findings, errors, NaN and Inf values, in step order.
        synchronized: Numbers of the steps that end a pass in which gradients changed after they
            were accumulated, as they do when ``DistributedDataParallel`` averages them.
        problem: Why the trace cannot be shown; the rest is empty then.
    """

    path: Path
    stamp: TraceStamp = ()
    phases: tuple[RunPhase, ...] = ()
    marks: tuple[TimelineMark, ...] = ()
    synchronized: tuple[int, ...] = ()
    problem: str = ""

    @property
    def count(self) -> int:
        """Number of steps."""
        return self.phases[-1].last if self.phases else 0


def rank_run(path: Path, index: TraceIndex, job: BackgroundJob | None = None) -> RankRun:
    """Return what a row shows of a trace; in a background job, it also looks for NaN and Inf."""
    marks = tuple(mark for mark in marks_of(index) if mark.kind != "print")
    if job is not None:
        marks += marks_of_values(find_non_finite(index, job.cancelled))
    ends = [index.trace.steps[at] for at in np.flatnonzero(index.steps.kinds == PASS_END).tolist()]
    return RankRun(
        path=path,
        phases=index.phases,
        marks=tuple(sorted(marks, key=lambda mark: mark.number)),
        synchronized=tuple(
            end.number for end in ends if isinstance(end, PassEndStep) and end.totals
        ),
    )


def read_rank_run(path: Path, rank: Rank, job: BackgroundJob) -> RankRun:
    """Read a trace; `RankRun.problem` is set if it cannot be read or has another rank."""
    # Before it is read, as another process may still be writing to it.
    stamp = trace_stamp(path)
    try:
        reader, index = open_with_index(path, job, live=False)
    except TraceError as error:
        return RankRun(path=path, stamp=stamp, problem=str(error))
    with reader:
        if index.trace.scope.rank != rank:
            text = translate("Ranks", "{0} was not written by rank {1} of {2}.")
            problem = text.format(path.name, rank.number, rank.count)
            return RankRun(path=path, stamp=stamp, problem=problem)
        return replace(rank_run(path, index, job), stamp=stamp)


RankMark = tuple[int, str]
"""A step of the rank that is shown, and what another rank has recorded there."""

RankMarkKey = tuple[int, int]
"""A rank, and the place of one of its marks among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSummary:
    """What is known of one rank.

    Attributes:
        number: The rank.
        run: Its run; None until its trace has been read.
        steps: Maps its steps to those of the rank that is shown.
        shows: Whether the results of a step of the rank that is shown are revealed.
    """

    number: int
    run: RankRun | None
    steps: PhaseAlignment
    shows: Callable[[int], bool]

    @property
    def marks(self) -> tuple[RankMark, ...]:
        """Its findings, errors, NaN and Inf values, and synchronized gradients, in step order."""
        found = sorted(self._marks(), key=lambda mark: mark[0])
        return tuple(mark for mark in found if self.shows(mark[0]))

    def _marks(self) -> Iterator[RankMark]:
        if self.run is None:
            return
        changed = translate("Ranks", "Gradients changed again at the end of this pass.")
        own = [(mark.number, mark.text) for mark in self.run.marks]
        for number, text in (*own, *((each, changed) for each in self.run.synchronized)):
            step = self.steps.step_of(number)
            if step is not None:
                yield step, text

    @property
    def missing(self) -> int:
        """How many of its steps are in phases that the rank that is shown does not have."""
        shown = sum(own.last - own.first + 1 for own, _ in self.steps.pairs)
        return 0 if self.run is None else self.run.count - shown

    @property
    def title(self) -> str:
        """Its number, and what makes it different."""
        name = translate("Ranks", "rank {0}").format(self.number)
        if self.run is None:
            return translate("Ranks", "{0} · is being opened…").format(name)
        if self.run.problem:
            return translate("Ranks", "{0} · cannot be shown").format(name)
        if self.missing:
            text = translate("Ranks", "{0} · {1} more steps")
            return text.format(name, format_count(self.missing))
        return name


def ranks_document(ranks: Mapping[int, RankSummary], shown: int) -> Document:
    """Return a row for each rank, by its number, and below it one for each mark, by its place.

    Args:
        ranks: The ranks.
        shown: The rank that the window shows.
    """
    marks = {number: rank.marks for number, rank in ranks.items()}

    def row(key: Hashable) -> Row:
        if isinstance(key, int):
            rank = ranks[key]
            problem = "" if rank.run is None else rank.run.problem
            go = "" if key == shown else translate("Ranks", "Click to show this rank here.")
            texts = [_mark_text(mark) for mark in marks[key][:1]]
            fields = (
                Field(text=rank.title, tip=problem or go),
                Field(text=problem or "".join(texts), tone="error" if problem else "muted"),
            )
            return Row(fields=fields, is_now=key == shown)
        number, at = cast("RankMarkKey", key)
        return Row(fields=(Field(), Field(text=_mark_text(marks[number][at]))))

    below: dict[Hashable, list[RankMarkKey]] = {
        number: [(number, at) for at in range(len(found))]
        for number, found in marks.items()
        if found
    }
    return Document(titles=("", ""), keys=list(ranks), below=below, row=row)


def _mark_text(mark: RankMark) -> str:
    step, text = mark
    return f"{say('doctor_list.step', step=format_count(step))}: {text}"


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
            path = position_path(structs.replace(inside, step=there))
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
    from gradviz.analysis.compare.step_pairing import PhaseAlignment

    return PhaseAlignment(phases, others)

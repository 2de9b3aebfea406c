"""What a row shows of one rank's run, and the rows of all ranks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.document.document import Document, Field, Row
from gradviz.model.columns import PASS_END
from gradviz.model.settings.rank import Rank
from gradviz.model.step import PassEndStep
from gradviz.store.errors import TraceError
from gradviz.store.header import TraceStamp, trace_stamp
from gradviz.viewer.background import BackgroundJob
from gradviz.viewer.session.trace_opening import open_with_index
from gradviz.viewer.timeline.timeline_marks import TimelineMark, marks_of, marks_of_values
from gradviz.viewer.translation import translate

if TYPE_CHECKING:
    from gradviz.analysis.compare.phase_alignment import PhaseAlignment


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

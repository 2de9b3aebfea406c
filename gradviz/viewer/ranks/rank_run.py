"""What a row shows of one rank's run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.non_finite_tensors import find_non_finite
from gradviz.model.columns import PASS_END
from gradviz.model.settings.rank import Rank
from gradviz.model.step import PassEndStep
from gradviz.store.errors import TraceError
from gradviz.store.header import TraceStamp, trace_stamp
from gradviz.viewer.background import BackgroundJob
from gradviz.viewer.session.trace_opening import open_with_index
from gradviz.viewer.timeline.timeline_marks import TimelineMark, marks_of, marks_of_values
from gradviz.viewer.translation import translate


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

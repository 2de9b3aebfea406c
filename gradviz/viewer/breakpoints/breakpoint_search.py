"""Searches a trace for the hits of breakpoints, one at a time in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter, sleep

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from gradviz.analysis.breakpoints.breakpoint import BreakpointTarget
from gradviz.analysis.breakpoints.finder import BreakpointFinder
from gradviz.analysis.breakpoints.hits import BreakpointHits
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.columns import IntColumn
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob

LANE = "breakpoints"

_NO_STEPS: IntColumn = np.array((), dtype=np.int64)

_TURN_S, _PAUSE_S = 0.004, 0.002
"""The search holds the GIL; without these pauses it would block the GUI thread."""


class _StoppedError(Exception):
    """The search was canceled."""


class BreakpointSearch(QObject):
    """Finds the hits of each breakpoint in a trace once and keeps them.

    Signals:
        results_found: Another breakpoint's hits are known.
    """

    results_found = Signal()

    def __init__(self, background: Background | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._lookup: BreakpointFinder | None = None
        self._found: dict[BreakpointTarget, tuple[BreakpointHits, IntColumn]] = {}
        self._waiting: list[BreakpointTarget] = []
        self._job: BackgroundJob | None = None

    @property
    def busy(self) -> bool:
        """Whether some breakpoints have not been searched for yet."""
        return bool(self._waiting)

    def found(self, target: BreakpointTarget) -> BreakpointHits | None:
        """Return the search result for a breakpoint; None while it is not known."""
        return self._found[target][0] if target in self._found else None

    def steps(self, target: BreakpointTarget) -> IntColumn:
        """Return the steps with hits, ascending; empty while they are not known."""
        return self._found[target][1] if target in self._found else _NO_STEPS

    def begin(self, index: TraceIndex | None) -> None:
        """Discard all results and switch to another trace."""
        if self._background is not None:
            self._background.cancel(LANE)
        self._lookup = None if index is None else BreakpointFinder(index)
        self._job, self._found, self._waiting = None, {}, []

    def renew(self, index: TraceIndex | None) -> None:
        """Continue in the same trace after it was reopened, since the old file gets closed."""
        if self._lookup is None or index is None or index is self._lookup.index:
            return
        if self._background is not None:
            self._background.cancel(LANE)
        self._lookup, self._job = BreakpointFinder(index), None
        self.want(self._waiting)

    def want(self, targets: Iterable[BreakpointTarget]) -> None:
        """Search for these targets unless their hits are known; drop other requests."""
        if self._lookup is None:
            return
        self._waiting = [each for each in targets if each not in self._found]
        if self._background is None:
            for each in self._waiting:
                self._found[each] = _with_steps(self._lookup.positions_of(each))
            self._waiting = []
        elif self._job is None:
            self._start(self._lookup, self._background)

    def _start(self, lookup: BreakpointFinder, background: Background) -> None:
        if not self._waiting:
            return
        target = self._waiting[0]
        self._job = background.start(
            lambda job: (target, *_with_steps(lookup.positions_of(target, _pause(job)))),
            self._on_search_done,
            lambda _: self._take(target, BreakpointHits(why="unreadable"), _NO_STEPS),
            lane=LANE,
            expected=(TraceError, _StoppedError),
            computes=True,
        )

    @Slot(object)
    def _on_search_done(self, result: tuple[BreakpointTarget, BreakpointHits, IntColumn]) -> None:
        self._take(*result)

    def _take(self, target: BreakpointTarget, found: BreakpointHits, steps: IntColumn) -> None:
        self._job = None
        self._found[target] = found, steps
        self._waiting = [each for each in self._waiting if each != target]
        if self._lookup is not None and self._background is not None:
            self._start(self._lookup, self._background)
        self.results_found.emit()


def _with_steps(found: BreakpointHits) -> tuple[BreakpointHits, IntColumn]:
    """Add the numbers of the steps with hits, each once."""
    steps = np.array([place.step for place in found.places], dtype=np.int64)
    return found, steps[np.diff(steps, prepend=0) != 0]


def _pause(job: BackgroundJob) -> Callable[[], None]:
    began = perf_counter()

    def pause() -> None:
        nonlocal began
        if job.cancelled():
            raise _StoppedError
        if perf_counter() - began > _TURN_S:
            sleep(_PAUSE_S)
            began = perf_counter()

    return pause

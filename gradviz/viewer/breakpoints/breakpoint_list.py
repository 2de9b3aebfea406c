"""The breakpoints of the current subject: set, searched for in its trace, and run to."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import replace
from time import perf_counter, sleep

import numpy as np
from msgspec import structs
from PySide6.QtCore import QObject, Signal

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    AtLine,
    AtNode,
    Breakpoint,
    BreakpointTarget,
    LineMatch,
    source_line_text,
    track_line,
)
from gradviz.analysis.breakpoints.finder import BreakpointFinder
from gradviz.analysis.breakpoints.hits import (
    BreakpointHits,
    next_hit,
    position_sort_key,
    previous_hit,
)
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.codec import CodecError, decode, encode
from gradviz.model.columns import IntColumn
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.state import ViewerState
from gradviz.viewer.subject_preferences import SubjectPreferences

_STORE = SubjectPreferences("breakpoints/set")
_LOG = logging.getLogger(__name__)


def save_breakpoints(subject: str, points: tuple[Breakpoint, ...]) -> None:
    """Store the breakpoints of a subject."""
    _STORE.put(subject, [encode(point) for point in points] or None)


def load_breakpoints(subject: str) -> tuple[Breakpoint, ...]:
    """Return the breakpoints last stored for a subject, except unreadable ones."""
    points: list[Breakpoint] = []
    data = _STORE.get(subject)
    for each in data if isinstance(data, list) else ():
        try:
            points.append(decode(Breakpoint, each))
        except CodecError as error:
            _LOG.info("Cannot read a stored breakpoint of %s: %s.", subject, error)
    return tuple(points)


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


POSITIONS = (AtNode, AtFunction, AtLine)
"""Targets whose hits depend on no values, so they reveal no quiz answer."""


class BreakpointList(QObject):
    """All breakpoints and their hits in the trace.

    Args:
        state: The state of the window.
        background: Runs the search; without it, the search is synchronous.
        stored: Whether to store the breakpoints between sessions.
        parent: The parent object.

    Signals:
        changed: The breakpoints, their hits, or the hits that are not hidden have changed.
    """

    changed = Signal()

    def __init__(
        self,
        state: ViewerState,
        background: Background | None = None,
        *,
        stored: bool = True,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._stored = stored
        self._subject = ""
        self._points: tuple[Breakpoint, ...] = ()
        self._changes: dict[BreakpointTarget, LineMatch] = {}
        self._search = BreakpointSearch(background, self)
        self._search.results_found.connect(self.changed)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.reports_changed.connect(self._on_state_reports_changed)
        state.revealed_changed.connect(self.changed)
        self._on_state_trace_changed(state.index)

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """All breakpoints, in the order in which they were set."""
        return self._points

    @property
    def busy(self) -> bool:
        """Whether a search for hits is in progress."""
        return self._search.busy

    @property
    def steps(self) -> IntColumn:
        """Numbers of the revealed steps with hits of enabled breakpoints, ascending."""
        is_hit = np.zeros(self._state.count + 1, dtype=np.bool_)
        for target in self._enabled:
            is_hit[self._search.steps(target)] = True
        return np.flatnonzero(is_hit[: self._state.revealed.until + 1])

    def found(self, target: BreakpointTarget) -> BreakpointHits | None:
        """Return the hits of a breakpoint in revealed steps; None while they are not known."""
        found = self._search.found(target)
        if found is None:
            return None
        end = bisect_right(found.places, self._state.revealed.until, key=_step_of)
        return replace(found, places=found.places[:end])

    def line_change(self, target: BreakpointTarget) -> LineMatch:
        """Return whether a breakpoint's line has moved, or its text has changed."""
        return self._changes.get(target, "same")

    @property
    def nodes(self) -> dict[int, bool]:
        """Nodes of the trace that have a breakpoint, and whether it is enabled."""
        index = self._state.index
        return {
            point.target.node: point.enabled
            for point in self._points
            if isinstance(point.target, AtNode)
            and index is not None
            and point.target.node in index.node
            and index.node[point.target.node].name == point.target.name
        }

    @property
    def lines(self) -> dict[tuple[str, int], bool]:
        """Path and line of the sources that have a breakpoint, and whether it is enabled."""
        return {
            (point.target.path, point.target.line): point.enabled
            for point in self._points
            if isinstance(point.target, AtLine)
        }

    def point_of(self, target: BreakpointTarget) -> Breakpoint | None:
        """Return the breakpoint with a target; None if there is none."""
        return next((point for point in self._points if point.target == target), None)

    def add(self, target: BreakpointTarget) -> None:
        """Set a breakpoint; an existing one is enabled."""
        if self.point_of(target) is None:
            self._set((*self._points, Breakpoint(target=target)))
        else:
            self.set_enabled(target, True)

    def remove(self, target: BreakpointTarget) -> None:
        """Remove a breakpoint if it exists."""
        self._set(tuple(point for point in self._points if point.target != target))

    def clear(self) -> None:
        """Remove all breakpoints."""
        self._set(())

    def set_enabled(self, target: BreakpointTarget, enabled: bool) -> None:
        """Enable or disable a breakpoint."""
        self._set(
            tuple(
                structs.replace(point, enabled=enabled) if point.target == target else point
                for point in self._points
            )
        )

    def toggle_node(self, node: int) -> None:
        """Set a breakpoint at a node of the trace, or remove the existing ones."""
        index = self._state.index
        if index is None or node not in index.node:
            return
        name = index.node[node].name
        present = tuple(
            point
            for point in self._points
            if isinstance(point.target, AtNode)
            and (point.target.node, point.target.name) == (node, name)
        )
        if present:
            self._set(tuple(point for point in self._points if point not in present))
        else:
            self.add(AtNode(node=node, name=name))

    def toggle_line(self, path: str, line: int) -> None:
        """Set a breakpoint at a source line, or remove the existing one."""
        present = [
            point.target
            for point in self._points
            if isinstance(point.target, AtLine)
            and (point.target.path, point.target.line) == (path, line)
        ]
        if present:
            self.remove(present[0])
        else:
            text = _source_of(self._state.index, path)
            self.add(AtLine(path=path, line=line, text=source_line_text(text or "", line)))

    def next_target(self) -> TracePosition | None:
        """Return the next hit; None if there is none ahead."""
        return min(self._hits_by(next_hit, self._beyond), key=position_sort_key, default=None)

    def previous_target(self) -> TracePosition | None:
        """Return the previous hit; None if there is none behind."""
        return max(self._hits_by(previous_hit), key=position_sort_key, default=None)

    def _hits_by(
        self,
        find: Callable[[tuple[TracePosition, ...], TracePosition], TracePosition | None],
        *others: Callable[[TracePosition], TracePosition | None],
    ) -> list[TracePosition]:
        """What a function finds among the hits of each enabled breakpoint, from the position on."""
        place = self._state.place
        if place is None:
            return []
        hits = [self.found(target) for target in self._enabled]
        found = [find(each.places, place) for each in hits if each is not None]
        found += [each(place) for each in others]
        return [each for each in found if each is not None]

    def run_to_next_breakpoint(self) -> None:
        """Go to the next hit."""
        self.go_to(self.next_target())

    def run_to_previous_breakpoint(self) -> None:
        """Go back to the previous hit."""
        self.go_to(self.previous_target())

    def go_to(self, place: TracePosition | None) -> None:
        """Go to a hit, on its own level."""
        if place is not None:
            self._state.go_to_place(place, place.level)

    def first_hit_until(self, place: TracePosition) -> TracePosition | None:
        """Return the first hit up to and including a later position, or None."""
        found = self.next_target()
        return found if found is not None and found.key <= place.key else None

    def _set(self, points: tuple[Breakpoint, ...]) -> None:
        if points != self._points:
            self._points = points
            if self._stored and self._subject:
                save_breakpoints(self._subject, points)
            self._restart_search()

    def _restart_search(self) -> None:
        self._search.want([point.target for point in self._points])
        self.changed.emit()

    @property
    def _enabled(self) -> list[BreakpointTarget]:
        return [point.target for point in self._points if point.enabled]

    def _beyond(self, place: TracePosition) -> TracePosition | None:
        """Return the next step with a hit that may be visited before its answer is revealed."""
        until = self._state.revealed.until
        positions = [each for each in self._enabled if isinstance(each, POSITIONS)]
        steps = [self._search.steps(each) for each in positions]
        after = [
            each[np.searchsorted(each, max(until, place.step), side="right") :] for each in steps
        ]
        first = min((int(each[0]) for each in after if len(each)), default=None)
        return None if first is None else TracePosition(step=first)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._search.begin(index)
        subject = "" if index is None else index.trace.origin.subject
        if index is not None and subject != self._subject:
            self._subject = subject
            self._points = load_breakpoints(subject) if self._stored else ()
        self._follow(index)
        self._restart_search()

    def _on_state_reports_changed(self, reports: object) -> None:
        # A check was appended to the file, which was then reopened.
        self._search.renew(self._state.index)

    def _follow(self, index: TraceIndex | None) -> None:
        """Move line breakpoints along with their lines."""
        self._changes = {}
        points: list[Breakpoint] = []
        for point in self._points:
            target = point.target
            text = _source_of(index, target.path) if isinstance(target, AtLine) else None
            if isinstance(target, AtLine) and text is not None:
                target, change = track_line(target, text)
                self._changes[target] = change
            points.append(structs.replace(point, target=target))
        if tuple(points) != self._points:
            self._points = tuple({point.target: point for point in points}.values())
            if self._stored:
                save_breakpoints(self._subject, self._points)


def _step_of(place: TracePosition) -> int:
    return place.step


def _source_of(index: TraceIndex | None, path: str) -> str | None:
    sources = () if index is None else index.trace.sources
    return next((source.text for source in sources if source.path == path), None)

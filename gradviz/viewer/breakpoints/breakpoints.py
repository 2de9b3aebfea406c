"""The breakpoints of what is shown: set, found in its trace, and run to in both directions."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from gradviz.model.breakpoints.follow import Change, followed, text_at
from gradviz.model.breakpoints.found import Found, in_order, key_of, next_hit, previous_hit
from gradviz.model.breakpoints.point import AtFunction, AtLine, AtNode, Breakpoint, Target
from gradviz.model.columns import Numbers
from gradviz.model.index import Index
from gradviz.model.places import Place
from gradviz.viewer.background import Background
from gradviz.viewer.breakpoints.remembered import recall, remember
from gradviz.viewer.breakpoints.search import Search
from gradviz.viewer.state import ViewerState

POSITIONS = (AtNode, AtFunction, AtLine)
"""Kinds whose places are known beforehand: they tell nothing of what a room has to guess."""


class Breakpoints(QObject):
    """Knows all breakpoints, and where the trace comes upon them.

    Args:
        state: Whose trace and place are meant.
        background: Where they are looked for; without it, at once.
        stored: Whether they are remembered over starts of the program.
        parent: Its owner.

    Signals:
        changed: Some were set, removed, switched or found; or a room may be told of others.
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
        self._changes: dict[Target, Change] = {}
        self._search = Search(background, self)
        self._search.found_some.connect(self._on_search_found_some)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.reports_changed.connect(self._on_state_reports_changed)
        state.concealment_changed.connect(self._on_state_concealment_changed)
        self._on_state_trace_changed(state.index)

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """All of them, in the order in which they were set."""
        return self._points

    @property
    def busy(self) -> bool:
        """Whether some are still being looked for."""
        return self._search.busy

    @property
    def hits(self) -> tuple[Place, ...]:
        """Where the enabled ones are met, in order; of a run to be guessed only what was told."""
        found = [self.found(target) for target in self._enabled]
        return in_order(place for each in found if each is not None for place in each.places)

    @property
    def steps(self) -> Numbers:
        """The steps in which these places are, ascending."""
        is_hit = np.zeros(self._state.count + 1, dtype=np.bool_)
        for target in self._enabled:
            is_hit[self._search.steps(target)] = True
        return np.flatnonzero(is_hit[: self._state.told + 1])

    def found(self, target: Target) -> Found | None:
        """What became of looking for one; None while that is not known.

        Of a run that a room has still to guess, only the places that were told.
        """
        found = self._search.found(target)
        if found is None or self._state.told >= self._state.count:
            return found
        end = bisect_right(found.places, self._state.told, key=_step_of)
        return replace(found, places=found.places[:end])

    def line_change(self, target: Target) -> Change:
        """Whether the line of one has moved, or another text stands there now."""
        return self._changes.get(target, "same")

    @property
    def nodes(self) -> dict[int, bool]:
        """The nodes of the trace at which one is set, and whether it is enabled."""
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
        """The paths and lines of sources at which one is set, and whether it is enabled."""
        return {
            (point.target.path, point.target.line): point.enabled
            for point in self._points
            if isinstance(point.target, AtLine)
        }

    def point_of(self, target: Target) -> Breakpoint | None:
        """The breakpoint with a target; None where none is set."""
        return next((point for point in self._points if point.target == target), None)

    def add(self, target: Target) -> None:
        """Sets one; one that is there already is enabled."""
        if self.point_of(target) is None:
            self._set((*self._points, Breakpoint(target=target)))
        else:
            self.set_enabled(target, True)

    def remove(self, target: Target) -> None:
        """Removes one, if it is there."""
        self._set(tuple(point for point in self._points if point.target != target))

    def clear(self) -> None:
        """Removes all."""
        self._set(())

    def set_enabled(self, target: Target, enabled: bool) -> None:
        """Lets one be stopped at, or passed by."""
        self._set(
            tuple(
                replace(point, enabled=enabled) if point.target == target else point
                for point in self._points
            )
        )

    def toggle_node(self, node: int) -> None:
        """Sets one at a node of the trace, or removes those that are there."""
        index = self._state.index
        if index is None or node not in index.node:
            return
        name = index.node[node].name
        there = tuple(
            point
            for point in self._points
            if isinstance(point.target, AtNode)
            and (point.target.node, point.target.name) == (node, name)
        )
        if there:
            self._set(tuple(point for point in self._points if point not in there))
        else:
            self.add(AtNode(node=node, name=name))

    @Slot(str, int)
    def toggle_line(self, path: str, line: int) -> None:
        """Sets one at a line of a source, or removes the one that is there."""
        there = [
            point.target
            for point in self._points
            if isinstance(point.target, AtLine)
            and (point.target.path, point.target.line) == (path, line)
        ]
        if there:
            self.remove(there[0])
        else:
            text = _source_of(self._state.index, path)
            self.add(AtLine(path=path, line=line, text=text_at(text or "", line)))

    def way_on(self) -> Place | None:
        """Where the next one is met; None where none is any more."""
        place = self._state.place
        if place is None:
            return None
        found = [self.found(target) for target in self._enabled]
        ways = [next_hit(each.places, place) for each in found if each is not None]
        ways.append(self._beyond(place))
        return min((way for way in ways if way is not None), key=key_of, default=None)

    def way_back(self) -> Place | None:
        """Where the one before was met; None where there was none."""
        place = self._state.place
        if place is None:
            return None
        found = [self.found(target) for target in self._enabled]
        ways = [previous_hit(each.places, place) for each in found if each is not None]
        return max((way for way in ways if way is not None), key=key_of, default=None)

    def run_on(self) -> None:
        """Goes to the next place at which one is met."""
        self.go_to(self.way_on())

    def run_back(self) -> None:
        """Goes back to the place at which one was met before."""
        self.go_to(self.way_back())

    def go_to(self, place: Place | None) -> None:
        """Goes to such a place, on its own level."""
        if place is not None:
            self._state.go_to_place(place, place.level)

    def on_the_way(self, place: Place) -> Place | None:
        """The first place met between here and a later place, that included."""
        found = self.way_on()
        return found if found is not None and found.key <= place.key else None

    def _set(self, points: tuple[Breakpoint, ...]) -> None:
        if points != self._points:
            self._points = points
            if self._stored and self._subject:
                remember(self._subject, points)
            self._seek()

    def _seek(self) -> None:
        self._search.want([point.target for point in self._points])
        self.changed.emit()

    @property
    def _enabled(self) -> list[Target]:
        return [point.target for point in self._points if point.enabled]

    def _beyond(self, place: Place) -> Place | None:
        """The next step that a room may be led to, though it has to guess what happens there."""
        told = self._state.told
        if told >= self._state.count:
            return None
        positions = [each for each in self._enabled if isinstance(each, POSITIONS)]
        steps = [self._search.steps(each) for each in positions]
        after = [
            each[np.searchsorted(each, max(told, place.step), side="right") :] for each in steps
        ]
        first = min((int(each[0]) for each in after if len(each)), default=None)
        return None if first is None else Place(step=first)

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        self._search.begin(index)
        subject = "" if index is None else index.trace.origin.subject
        if index is not None and subject != self._subject:
            self._subject = subject
            self._points = recall(subject) if self._stored else ()
        self._follow(index)
        self._seek()

    @Slot(object)
    def _on_state_reports_changed(self, reports: object) -> None:
        # A check has been appended to the file, which was opened again for it.
        self._search.renew(self._state.index)

    def _follow(self, index: Index | None) -> None:
        """Lets breakpoints on lines go along with lines that have moved."""
        self._changes = {}
        points: list[Breakpoint] = []
        for point in self._points:
            target = point.target
            text = _source_of(index, target.path) if isinstance(target, AtLine) else None
            if isinstance(target, AtLine) and text is not None:
                target, change = followed(target, text)
                self._changes[target] = change
            points.append(replace(point, target=target))
        if tuple(points) != self._points:
            self._points = tuple({point.target: point for point in points}.values())
            if self._stored:
                remember(self._subject, self._points)

    @Slot()
    def _on_search_found_some(self) -> None:
        self.changed.emit()

    @Slot(bool)
    def _on_state_concealment_changed(self, concealed: bool) -> None:
        self.changed.emit()


def _step_of(place: Place) -> int:
    return place.step


def _source_of(index: Index | None, path: str) -> str | None:
    sources = () if index is None else index.trace.sources
    return next((source.text for source in sources if source.path == path), None)

"""State shared by all panels: trace, position, selection, and theme."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.navigation import nearest_at_level
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.analysis.quiz_answers import quiz_answer_tensors
from gradviz.drawing.grouping.groups import FoldState
from gradviz.model.tensor import TensorValue
from gradviz.model.trace import Trace
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.step_navigator import StepNavigator, StepTarget
from gradviz.viewer.tensor_value_cache import ValueCache

if TYPE_CHECKING:
    from gradviz.viewer.tensor_refs import ElementRef
    from gradviz.viewer.theme.theme import Theme

CACHED_BYTES = 64 * 1024 * 1024
"""Size of the cache for tensor elements, in bytes."""

MOST_AT_ONCE = 1024 * 1024
"""Largest tensor in bytes to read in the GUI thread; larger ones load in the background."""


class TraceReaderProtocol(Protocol):
    """Interface of an open trace; `gradviz.store.reader.TraceReader` implements it."""

    def trace(self) -> Trace:
        """Return everything except the elements of tensors."""

    def value(self, tensor_id: int) -> TensorValue | None:
        """Return the stored elements of a tensor; None if none were stored."""


class ViewerState(QObject):
    """The shared state: panels listen to its signals and change it through its methods.

    Signals:
        trace_changed: `TraceIndex` of the new trace, or None.
        step_changed: Number of the step; 0 without a trace.
        place_changed: The `TracePosition`, None without a trace. Follows each ``step_changed``;
            emitted alone if only the position inside the step or the stepping level changes.
        selection_changed: Id of the selected node, or None.
        theme_changed: The `Theme`.
        reports_changed: The trace's tuple of `JacobianReport`.
        quiz_changed: Whether the answer of the current step is hidden. Emitted when this or
            the last revealed step changes; follows ``step_changed``.
        hits_changed: The frozenset of ids of the nodes that match a search.
        folds_changed: The `FoldState`: which groups of the graph the user has opened or closed.
        element_changed: The pinned `ElementRef`, or None.
        storage_highlighted: Id of the storage highlighted in all views, or None.
        lineage_changed: The `TensorLineage` of the trace, or None.
        differences_changed: Tuple of the numbers of the steps that differ from another run.

    A new trace emits ``trace_changed``, then ``selection_changed``, ``reports_changed`` and
    ``step_changed``; all four properties have their new values before the first of these.
    """

    trace_changed = Signal(object)
    step_changed = Signal(object)
    place_changed = Signal(object)
    selection_changed = Signal(object)
    theme_changed = Signal(object)
    reports_changed = Signal(object)
    quiz_changed = Signal(bool)
    hits_changed = Signal(object)
    folds_changed = Signal(object)
    element_changed = Signal(object)
    storage_highlighted = Signal(object)
    lineage_changed = Signal(object)
    differences_changed = Signal(object)

    def __init__(
        self,
        theme: Theme,
        parent: QObject | None = None,
        *,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preferences = preferences or Preferences(self, stored=False)
        self._reader: TraceReaderProtocol | None = None
        self._index: TraceIndex | None = None
        self._walk = StepNavigator()
        self._selection: int | None = None
        self._hits: frozenset[int] = frozenset()
        self._folds = FoldState()
        self._element: ElementRef | None = None
        self._lineage: TensorLineage | None = None
        self._differing: tuple[int, ...] = ()
        self._values = ValueCache(CACHED_BYTES)

    @property
    def index(self) -> TraceIndex | None:
        """The trace that is shown, with its lookups."""
        return self._index

    @property
    def reader(self) -> TraceReaderProtocol | None:
        """Reader of the trace; background work uses it to read large tensors."""
        return self._reader

    @property
    def number(self) -> int:
        """Number of the current step, from 1; 0 without a trace."""
        return self._walk.number

    @property
    def place(self) -> TracePosition | None:
        """Current position: a step as a whole or something inside it."""
        return self._walk.place

    @property
    def level(self) -> Level:
        """Stepping level, which sets how far one step forward or back goes."""
        return self._walk.level

    @property
    def count(self) -> int:
        """Number of steps in the trace."""
        return self._walk.count

    @property
    def selection(self) -> int | None:
        """Id of the selected node, or None."""
        return self._selection

    @property
    def answer_hidden(self) -> bool:
        """Whether quiz mode hides what the current step computes."""
        return self._walk.answer_hidden

    @property
    def quiz_mode(self) -> bool:
        """Whether quiz mode is on: each step forward hides its results until revealed."""
        return self._walk.quiz_mode

    @property
    def told(self) -> int:
        """Number of the last revealed step; quiz mode hides the results of later ones."""
        return self._walk.told

    def hides(self, tensor_id: int) -> bool:
        """Return whether quiz mode currently hides a tensor."""
        if self._index is None or not self.answer_hidden:
            return False
        return tensor_id in quiz_answer_tensors(self._index, step_at(self._index, self.number))

    @property
    def hits(self) -> frozenset[int]:
        """Ids of the nodes that match the current search."""
        return self._hits

    @property
    def folds(self) -> FoldState:
        """Groups of the graph that the user has opened or closed."""
        return self._folds

    @property
    def preferences(self) -> Preferences:
        """The user's preferences, shared by all windows."""
        return self._preferences

    @property
    def element(self) -> ElementRef | None:
        """The pinned element, marked in every view of its tensor and of related tensors."""
        return self._element

    @property
    def differing(self) -> tuple[int, ...]:
        """Numbers of the steps that differ from the run compared with this one."""
        return self._differing

    @property
    def lineage(self) -> TensorLineage | None:
        """Where each tensor of the trace appears; None until it has been computed."""
        return self._lineage

    @property
    def theme(self) -> Theme:
        """Colors and fonts to draw with."""
        return self._theme

    def show(self, reader: TraceReaderProtocol | None, index: TraceIndex | None = None) -> None:
        """Show another trace from its first step, or none.

        Args:
            reader: The open trace. The caller closes the old one after this call.
            index: Its index if it was already built in the background; otherwise it is built here.
        """
        self._reader = reader
        self._values = ValueCache(CACHED_BYTES)
        before = self._index
        self._index = (
            index
            if index is not None or reader is None
            else index_trace(reader.trace(), reader.value)
        )
        _wait_for_small_only(self._index)
        if _subject(before) != _subject(self._index):
            self._folds = FoldState()
        was = self.told, self.answer_hidden
        self._walk.begin(self._index)
        self._selection = None
        self._lineage = None
        self.trace_changed.emit(self._index)
        self.show_hits(frozenset())
        self.show_differences(())
        self.pin(None)
        self.selection_changed.emit(None)
        self.reports_changed.emit(() if self._index is None else self._index.trace.reports)
        self._arrive(was, moved=True)

    def show_again(self) -> None:
        """Redraw the same trace from scratch, keeping the position and the selection."""
        if self._index is not None:
            place, selection = self.place, self._selection
            self.show(self._reader, self._index)
            if place is not None:
                self.go_to_place(place)
            self.select(selection)

    def show_appended(self, reader: TraceReaderProtocol, index: TraceIndex) -> None:
        """Show what a check has appended to the trace, keeping position and selection.

        Args:
            reader: The trace, opened again. The caller closes the old one later.
            index: Its index.
        """
        self._reader, self._index = reader, index
        self._walk.replace(index)
        _wait_for_small_only(self._index)
        self.reports_changed.emit(self._index.trace.reports)

    def go_to(self, number: int) -> None:
        """Go to a step; an out-of-range number is clamped."""
        self._go(self._walk.target_of_step(number))

    def go_to_place(self, place: TracePosition, level: Level | None = None) -> None:
        """Go to a position in the trace.

        Args:
            place: A step of the trace, or something inside it. If the stepping level is finer, go
                to
                the first position inside it.
            level: The new stepping level; the current one if left out. A finer position makes the
                level finer too.
        """
        was, number = (self.told, self.answer_hidden), self.number
        if self._walk.go(place, level):
            self._arrive(was, moved=self.number != number)

    def _go(self, target: StepTarget | None) -> None:
        if target is not None:
            self.go_to_place(*target)

    def _arrive(self, was: tuple[int, bool], *, moved: bool) -> None:
        if moved:
            self.step_changed.emit(self.number)
        self.place_changed.emit(self.place)
        self._announce_quiz(was)

    def set_level(self, level: Level) -> None:
        """Set the stepping level and move to the nearest position on it."""
        if self.place is None:
            self._walk.level = level
            self.place_changed.emit(None)
        elif not self.answer_hidden and self._index is not None:
            self.go_to_place(nearest_at_level(self._index, self.place, level), level)

    @property
    def way_into(self) -> StepTarget | None:
        """Target of `into`; None if nothing is inside, or quiz mode still hides it."""
        return self._walk.way_into()

    @property
    def outer_target(self) -> StepTarget | None:
        """Target of `out`; None on the outermost level."""
        return self._walk.outer_target()

    @property
    def way_on(self) -> StepTarget | None:
        """Target of `next_step`; None at the end."""
        return self._walk.way_on()

    @property
    def way_back(self) -> StepTarget | None:
        """Target of `previous_step`; None at the beginning."""
        return self._walk.way_back()

    def into(self) -> None:
        """Go one level down, to the first position inside the current one."""
        self._go(self.way_into)

    def out(self) -> None:
        """Go one level up, to the position that contains the current one."""
        self._go(self.outer_target)

    def next_step(self) -> None:
        """Reveal the hidden answer of this step, or go one step forward on the current level."""
        if self.answer_hidden:
            self.set_answer_hidden(False)
        else:
            self._go(self.way_on)

    def previous_step(self) -> None:
        """Go one step back on the current level, if there is one."""
        self._go(self.way_back)

    def first_step(self) -> None:
        """Go to the beginning of the run."""
        self._go(self._walk.first_target())

    def last_step(self) -> None:
        """Go to the end of the run."""
        self._go(self._walk.last_target())

    def select(self, node_id: int | None) -> None:
        """Select a node of the trace; None, or an unknown id, clears the selection."""
        known = self._index is not None and node_id in self._index.node
        node_id = node_id if known else None
        if node_id != self._selection:
            self._selection = node_id
            self.selection_changed.emit(node_id)

    def guess(self, quiz_mode: bool = True) -> None:
        """Turn quiz mode on or off.

        What is already visible stays so: the current step, and later each revealed step.
        """
        if quiz_mode != self.quiz_mode:
            was = self.told, self.answer_hidden
            self._walk.guess(quiz_mode)
            self._announce_quiz(was)

    def open_groups(self, keys: Iterable[str]) -> None:
        """Expand groups of the graph."""
        self.fold(self._folds.opening(keys))

    def close_group(self, key: str) -> None:
        """Collapse a group of the graph into one box."""
        self.fold(self._folds.closing((key,)))

    def fold(self, folds: FoldState) -> None:
        """Set which groups are opened and closed; all others return to their default."""
        if folds != self._folds:
            self._folds = folds
            self.folds_changed.emit(folds)

    def set_answer_hidden(self, answer_hidden: bool = True) -> None:
        """Hide what the current step computes, or reveal it."""
        if answer_hidden != self.answer_hidden:
            was, place = (self.told, self.answer_hidden), self.place
            self._walk.set_answer_hidden(answer_hidden)
            if self.place != place:
                self.place_changed.emit(self.place)
            self._announce_quiz(was)

    def _announce_quiz(self, was: tuple[int, bool]) -> None:
        if was != (self.told, self.answer_hidden):
            self.quiz_changed.emit(self.answer_hidden)

    def show_hits(self, nodes: frozenset[int]) -> None:
        """Mark the nodes that match a search; an empty set clears the marks."""
        known = frozenset() if self._index is None else nodes & self._index.node.keys()
        if known != self._hits:
            self._hits = known
            self.hits_changed.emit(known)

    def pin(self, element: ElementRef | None) -> None:
        """Pin an element, which marks it in every view; None unpins it."""
        if element != self._element:
            self._element = element
            self.element_changed.emit(element)

    def highlight_storage(self, storage: int | None) -> None:
        """Highlight one storage in every view; None ends it."""
        self.storage_highlighted.emit(storage)

    def show_differences(self, steps: tuple[int, ...]) -> None:
        """Mark the steps, by number, that differ from another run."""
        if steps != self._differing:
            self._differing = steps
            self.differences_changed.emit(steps)

    def know(self, lineage: TensorLineage | None) -> None:
        """Set the computed lineage of the tensors of this trace."""
        self._lineage = lineage
        self.lineage_changed.emit(lineage)

    def set_theme(self, theme: Theme) -> None:
        """Switch to another theme and announce it."""
        if theme != self._theme:
            self._theme = theme
            self.theme_changed.emit(theme)

    def value(self, tensor_id: int) -> TensorValue | None:
        """Return the stored elements of a tensor of the trace; None if none were stored.

        It blocks until they are read; `gradviz.viewer.tensor_view.tensor_loader` does not.
        """
        if self._reader is None:
            return None
        found, value = self._values.get(tensor_id)
        if not found:
            value = self._reader.value(tensor_id)
            self._values.put(tensor_id, value)
        return value


def _subject(index: TraceIndex | None) -> str:
    return "" if index is None else index.trace.origin.subject


def _wait_for_small_only(index: TraceIndex | None) -> None:
    if index is not None:
        index.tensor.set_compute_limit(MOST_AT_ONCE)

"""What all panels show: the trace, the step, the selected node and the theme."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from gradviz.drawing.folds import Folds
from gradviz.model.conceal import hidden_tensors
from gradviz.model.index import Index, index_of
from gradviz.model.levels import at_level
from gradviz.model.lineage import Lineage
from gradviz.model.places import Level, Place
from gradviz.model.query import step_at
from gradviz.model.tensor import TensorValue
from gradviz.model.trace import Trace
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.value_cache import ValueCache
from gradviz.viewer.walk import Walk, Way

if TYPE_CHECKING:
    from gradviz.viewer.look.theme import Theme
    from gradviz.viewer.sights import Element, Sight, Suspect

CACHED_BYTES = 64 * 1024 * 1024
"""Bytes of tensor elements that are kept in memory."""

MOST_AT_ONCE = 1024 * 1024
"""Bytes of a tensor that may be read while the window waits; more is read in the background."""


class Reader(Protocol):
    """What the window asks of an open trace; `gradviz.store.reader.TraceReader` is one."""

    def trace(self) -> Trace:
        """Everything except the elements of tensors."""

    def value(self, tensor_id: int) -> TensorValue | None:
        """The kept elements of a tensor; None where none were kept."""


class ViewerState(QObject):
    """The one thing that panels share: they listen to its signals and call its methods.

    Signals:
        trace_changed: `Index` of the new trace, or None.
        step_changed: Number of the step; 0 without a trace.
        place_changed: The `Place`, None without a trace. Comes after each ``step_changed``, and
            alone where the step stays: the place inside it, or the level of stepping, is another.
        selection_changed: Id of the selected node, or None.
        theme_changed: The `Theme`.
        reports_changed: The trace's tuple of `JacobianReport`.
        node_sought: Id of a node to bring into sight, whatever hides it.
        concealment_changed: Whether the answer of the current step is hidden; it, or how far the
            run may be told, has changed. Follows ``step_changed`` where a step changes it.
        hits_changed: The frozenset of ids of the nodes that a search has found.
        folds_changed: The `Folds`: which groups of the graph were opened and closed by hand.
        element_changed: The pinned `Element`, or None.
        storage_lit: Number of the memory that stands out in all views, or None.
        tensor_sought: The `Sight` of a tensor that is to be seen large.
        origin_sought: The `Suspect` of which somebody asks where its trouble came from; None for
            the first trouble of the run.
        history_sought: The `Sight` of a tensor of which somebody asks what became of it.
        lineage_changed: The `Lineage` of the trace, or None.
        change_sought: The `Sight` of a tensor that is to be changed for another run.
        differences_changed: Tuple of the numbers of the steps that differ from another run.

    A new trace is announced by ``trace_changed``, then ``selection_changed``, ``reports_changed``
    and ``step_changed``; all four properties already have their new values at the first of them.
    """

    trace_changed = Signal(object)
    step_changed = Signal(object)
    place_changed = Signal(object)
    selection_changed = Signal(object)
    theme_changed = Signal(object)
    reports_changed = Signal(object)
    node_sought = Signal(object)
    concealment_changed = Signal(bool)
    hits_changed = Signal(object)
    folds_changed = Signal(object)
    element_changed = Signal(object)
    storage_lit = Signal(object)
    tensor_sought = Signal(object)
    lineage_changed = Signal(object)
    origin_sought = Signal(object)
    history_sought = Signal(object)
    change_sought = Signal(object)
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
        self._reader: Reader | None = None
        self._index: Index | None = None
        self._walk = Walk()
        self._selection: int | None = None
        self._hits: frozenset[int] = frozenset()
        self._folds = Folds()
        self._element: Element | None = None
        self._lineage: Lineage | None = None
        self._differing: tuple[int, ...] = ()
        self._values = ValueCache(CACHED_BYTES)

    @property
    def index(self) -> Index | None:
        """The trace that is shown, with its look-ups."""
        return self._index

    @property
    def reader(self) -> Reader | None:
        """What reads the trace; work in the background asks it for elements that are many."""
        return self._reader

    @property
    def number(self) -> int:
        """Number of the current step, from 1; 0 where there is none."""
        return self._walk.number

    @property
    def place(self) -> Place | None:
        """Where in the run we are: the current step, or something inside it."""
        return self._walk.place

    @property
    def level(self) -> Level:
        """How far a step forward or back goes."""
        return self._walk.level

    @property
    def count(self) -> int:
        """How many steps the trace has."""
        return self._walk.count

    @property
    def selection(self) -> int | None:
        """Id of the selected node."""
        return self._selection

    @property
    def concealed(self) -> bool:
        """Whether what the current step computes is hidden, for a room to guess it first."""
        return self._walk.concealed

    @property
    def guessing(self) -> bool:
        """Whether each step forward hides what it computes until it is revealed."""
        return self._walk.guessing

    @property
    def told(self) -> int:
        """Number of the last step that may be told of; beyond it, a room has still to guess."""
        return self._walk.told

    def hides(self, tensor_id: int) -> bool:
        """Whether a tensor is what the room has to guess now."""
        if self._index is None or not self.concealed:
            return False
        return tensor_id in hidden_tensors(self._index, step_at(self._index, self.number))

    @property
    def hits(self) -> frozenset[int]:
        """Ids of the nodes that a search has found."""
        return self._hits

    @property
    def folds(self) -> Folds:
        """Which groups of the graph were opened and closed by hand."""
        return self._folds

    @property
    def preferences(self) -> Preferences:
        """What the user prefers, in every window."""
        return self._preferences

    @property
    def element(self) -> Element | None:
        """The pinned element, which every view of its tensor and of related ones marks."""
        return self._element

    @property
    def differing(self) -> tuple[int, ...]:
        """Numbers of the steps that differ from the run that this one is compared with."""
        return self._differing

    @property
    def lineage(self) -> Lineage | None:
        """Where each tensor is found; None until somebody has found that out."""
        return self._lineage

    @property
    def theme(self) -> Theme:
        """Colours and fonts to draw with."""
        return self._theme

    def show(self, reader: Reader | None, index: Index | None = None) -> None:
        """Shows another trace from its first step, or nothing.

        Args:
            reader: The open trace. Whoever opened it closes it, after showing another.
            index: Its index where that was made already (in the background), else made here.
        """
        self._reader = reader
        self._values = ValueCache(CACHED_BYTES)
        before = self._index
        self._index = (
            index if index is not None or reader is None else index_of(reader.trace(), reader.value)
        )
        _wait_for_small_only(self._index)
        if _subject(before) != _subject(self._index):
            self._folds = Folds()
        was = self.told, self.concealed
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
        """Has everything of the same trace drawn anew; step and selection stay."""
        if self._index is not None:
            place, selection = self.place, self._selection
            self.show(self._reader, self._index)
            if place is not None:
                self.go_to_place(place)
            self.select(selection)

    def reload(self, reader: Reader, index: Index) -> None:
        """Shows the same trace after a check has appended to it; step and selection stay.

        Args:
            reader: The trace, opened again. Whoever opened the old one closes it afterwards.
            index: Its index.
        """
        self._reader, self._index = reader, index
        self._walk.replace(index)
        _wait_for_small_only(self._index)
        self.reports_changed.emit(self._index.trace.reports)

    def go_to(self, number: int) -> None:
        """Goes to a step; the nearest one where there is none of that number."""
        self._go(self._walk.way_to(number))

    def go_to_place(self, place: Place, level: Level | None = None) -> None:
        """Goes to a place of the trace.

        Args:
            place: A step that is there, or something inside it. Where steps go less far, the first
                of what lies in it.
            level: How far steps go from now on; as before if left out, or less far where the place
                is finer.
        """
        was, number = (self.told, self.concealed), self.number
        if self._walk.go(place, level):
            self._arrive(was, moved=self.number != number)

    def _go(self, way: Way | None) -> None:
        if way is not None:
            self.go_to_place(*way)

    def _arrive(self, was: tuple[int, bool], *, moved: bool) -> None:
        if moved:
            self.step_changed.emit(self.number)
        self.place_changed.emit(self.place)
        self._announce_concealment(was)

    def set_level(self, level: Level) -> None:
        """Lets steps go as far as a level says, from the place on it that is nearest."""
        if self.place is None:
            self._walk.level = level
            self.place_changed.emit(None)
        elif not self.concealed and self._index is not None:
            self.go_to_place(at_level(self._index, self.place, level), level)

    @property
    def way_into(self) -> Way | None:
        """Where `into` goes; None where nothing lies inside, or a room has to guess it first."""
        return self._walk.way_into()

    @property
    def way_out(self) -> Way | None:
        """Where `out` goes; None from the outermost level."""
        return self._walk.way_out()

    @property
    def way_on(self) -> Way | None:
        """Where `next_step` goes; None at the end."""
        return self._walk.way_on()

    @property
    def way_back(self) -> Way | None:
        """Where `previous_step` goes; None at the beginning."""
        return self._walk.way_back()

    def into(self) -> None:
        """Goes one level down, to the first of what lies in the current place."""
        self._go(self.way_into)

    def out(self) -> None:
        """Goes one level up, to what the current place lies in."""
        self._go(self.way_out)

    def next_step(self) -> None:
        """Reveals what this step hides, else goes one step of the current level forward."""
        if self.concealed:
            self.conceal(False)
        else:
            self._go(self.way_on)

    def previous_step(self) -> None:
        """Goes one step of the current level back, if there is one."""
        self._go(self.way_back)

    def first_step(self) -> None:
        """Goes to the beginning of the run."""
        self._go(self._walk.way_first())

    def last_step(self) -> None:
        """Goes to the end of the run."""
        self._go(self._walk.way_last())

    def select(self, node_id: int | None) -> None:
        """Selects a node of the trace, or none."""
        known = self._index is not None and node_id in self._index.node
        node_id = node_id if known else None
        if node_id != self._selection:
            self._selection = node_id
            self.selection_changed.emit(node_id)

    def seek(self, node_id: int) -> None:
        """Selects a node and has it brought into sight, whatever hides it."""
        self.select(node_id)
        if self._selection == node_id:
            self.node_sought.emit(node_id)

    def guess(self, guessing: bool = True) -> None:
        """Hides from now on what a step forward computes, until it is revealed; or hides nothing.

        What was on show stays so: the current step, and later every step that was revealed.
        """
        if guessing != self.guessing:
            was = self.told, self.concealed
            self._walk.guess(guessing)
            self._announce_concealment(was)

    def open_groups(self, keys: Iterable[str]) -> None:
        """Has groups of the graph drawn with what is in them."""
        self.fold(self._folds.opening(keys))

    def close_group(self, key: str) -> None:
        """Has a group of the graph drawn as one box."""
        self.fold(self._folds.closing((key,)))

    def fold(self, folds: Folds) -> None:
        """Has the graph drawn with these groups opened and closed; all others as at first."""
        if folds != self._folds:
            self._folds = folds
            self.folds_changed.emit(folds)

    def conceal(self, concealed: bool = True) -> None:
        """Hides what the current step computes, or reveals it."""
        if concealed != self.concealed:
            was, place = (self.told, self.concealed), self.place
            self._walk.conceal(concealed)
            if self.place != place:
                self.place_changed.emit(self.place)
            self._announce_concealment(was)

    def _announce_concealment(self, was: tuple[int, bool]) -> None:
        if was != (self.told, self.concealed):
            self.concealment_changed.emit(self.concealed)

    def show_hits(self, nodes: frozenset[int]) -> None:
        """Marks the nodes that a search has found; none of them for an empty set."""
        known = frozenset() if self._index is None else nodes & self._index.node.keys()
        if known != self._hits:
            self._hits = known
            self.hits_changed.emit(known)

    def pin(self, element: Element | None) -> None:
        """Pins an element, so that it is marked wherever it is shown; None pins none."""
        if element != self._element:
            self._element = element
            self.element_changed.emit(element)

    def light_storage(self, storage: int | None) -> None:
        """Lets the marks of one memory stand out everywhere, or none."""
        self.storage_lit.emit(storage)

    def seek_change(self, sight: Sight) -> None:
        """Has a tensor changed for another run."""
        self.change_sought.emit(sight)

    def show_differences(self, steps: tuple[int, ...]) -> None:
        """Marks the steps, by number, that differ from another run."""
        if steps != self._differing:
            self._differing = steps
            self.differences_changed.emit(steps)

    def seek_tensor(self, sight: Sight) -> None:
        """Has a tensor of the trace shown large."""
        self.tensor_sought.emit(sight)

    def seek_origin(self, suspect: Suspect | None) -> None:
        """Has it shown where the trouble of a tensor, or the first of the run, came from."""
        self.origin_sought.emit(suspect)

    def seek_history(self, sight: Sight) -> None:
        """Has it shown what became of a tensor's memory."""
        self.history_sought.emit(sight)

    def know(self, lineage: Lineage | None) -> None:
        """Takes what was found out about the tensors of this trace."""
        self._lineage = lineage
        self.lineage_changed.emit(lineage)

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme from now on."""
        if theme != self._theme:
            self._theme = theme
            self.theme_changed.emit(theme)

    def value(self, tensor_id: int) -> TensorValue | None:
        """The kept elements of a tensor of the trace; None where none were kept.

        It waits until they are read; `gradviz.viewer.tensor_view.loader` does not.
        """
        if self._reader is None:
            return None
        found, value = self._values.get(tensor_id)
        if not found:
            value = self._reader.value(tensor_id)
            self._values.put(tensor_id, value)
        return value


def _subject(index: Index | None) -> str:
    return "" if index is None else index.trace.origin.subject


def _wait_for_small_only(index: Index | None) -> None:
    if index is not None:
        index.tensor.compute_at_most(MOST_AT_ONCE)

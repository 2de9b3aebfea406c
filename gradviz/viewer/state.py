"""State shared by all panels: trace, position, selection, and theme."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.stage_cache import forget_stages
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.analysis.values.non_finite_reach import NonFiniteReach
from gradviz.drawing.grouping.groups import FoldState
from gradviz.model.tensor import TensorValue
from gradviz.viewer.click_sequence import ClickSequence
from gradviz.viewer.iteration_scope import IterationScope
from gradviz.viewer.position_state import PositionState
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.presentation import Presentation
from gradviz.viewer.theme.theme_update import update_all_themes
from gradviz.viewer.trace_values import TraceReaderProtocol, TraceValues, limit_computing

if TYPE_CHECKING:
    from gradviz.viewer.tensor_refs import ElementRef
    from gradviz.viewer.theme.theme import Theme


class ViewerState(PositionState):
    """The shared state: panels listen to its signals and change it through its methods.

    Attributes:
        clicks: What the clicker shows before it goes to the next step.
        presentation: Whether the window is in Presenter Mode, and what its page is about there.
        iterations: The iterations of the trace, and which of them is shown.
        preferences: The user's preferences, shared by all windows.
        theme: Colors and fonts to draw with; `set_theme` changes it.
        selection: Id of the selected node, or None.
        hits: Ids of the nodes that match the current search.
        folds: Groups of the graph that the user has opened or closed.
        element: The pinned element, marked in every view of its tensor and of related tensors.
        arithmetic: How the pinned element, or a related one, was computed; None if that is unknown.
        differing: Numbers of the steps that differ from the run compared with this one.
        lineage: Finds where the tensors of the trace appear; None without a trace.

    Signals, besides those of the position:
        trace_changed: `TraceIndex` of the new trace, or None.
        selection_changed: Id of the selected node, or None.
        theme_changed: The `Theme`.
        reports_changed: The trace's tuple of `JacobianReport`.
        hits_changed: The frozenset of ids of the nodes that match a search.
        folds_changed: The `FoldState`: which groups of the graph the user has opened or closed.
        element_changed: The pinned `ElementRef`, or None.
        storage_highlighted: Id of the storage highlighted in all views, or None.
        reach_changed: The `NonFiniteReach` of the trace, or None.
        differences_changed: Tuple of the numbers of the steps that differ from another run.
        arithmetic_changed: The `Arithmetic` that is shown, or None.

    A new trace emits ``trace_changed``, then ``selection_changed``, ``reports_changed`` and
    ``step_changed``; all properties have their new values before the first of these.
    """

    trace_changed = Signal(object)
    selection_changed = Signal(object)
    theme_changed = Signal(object)
    reports_changed = Signal(object)
    hits_changed = Signal(object)
    folds_changed = Signal(object)
    element_changed = Signal(object)
    storage_highlighted = Signal(object)
    reach_changed = Signal(object)
    differences_changed = Signal(object)
    arithmetic_changed = Signal(object)

    def __init__(
        self,
        theme: Theme,
        parent: QObject | None = None,
        *,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__(parent)
        self.theme = theme.live()
        self.preferences = preferences or Preferences(self, stored=False)
        self.selection: int | None = None
        self.hits: frozenset[int] = frozenset()
        self.folds = FoldState()
        self.element: ElementRef | None = None
        self.lineage: TensorLineage | None = None
        self._reach: NonFiniteReach | None = None
        self.differing: tuple[int, ...] = ()
        self.arithmetic: Arithmetic | None = None
        self._values = TraceValues(None)
        self.clicks = ClickSequence(self)
        self.presentation = Presentation(self)
        self.iterations = IterationScope(self)
        # Before all panels, which read the iterations when the trace changes.
        self.trace_changed.connect(self.iterations.show_index)
        self.iterations.changed.connect(self._on_iterations_changed)

    @property
    def reader(self) -> TraceReaderProtocol | None:
        """Reader of the trace; background work uses it to read large tensors."""
        return self._values.reader

    def show(
        self,
        reader: TraceReaderProtocol | None,
        index: TraceIndex | None = None,
        place: TracePosition | None = None,
    ) -> None:
        """Show another trace, or none.

        Args:
            reader: The open trace. The caller closes the old one after this call.
            index: Its index if it was already built in the background; otherwise it is built here.
            place: Where to show it, if it has this place; otherwise at its first step.
        """
        # While its trace is still shown: the element's number means nothing in another one.
        self.pin(None)
        self._values = TraceValues(reader)
        if index is None and reader is not None:
            index = index_trace(reader.trace(), reader.value)
        limit_computing(index)
        forget_stages()
        if _subject(index) != _subject(self.index):
            self.folds = FoldState()
        self._begin(index, place)
        self.selection = None
        self.lineage = None if index is None else TensorLineage(index)
        self._reach = None
        self.trace_changed.emit(index)
        self.show_hits(frozenset())
        self.show_differences(())
        self.selection_changed.emit(None)
        self.reports_changed.emit(() if index is None else index.trace.reports)
        self._announce(None, moved=True)

    def show_again(self) -> None:
        """Redraw the same trace from scratch, keeping the position and the selection."""
        if self.index is not None:
            place, selection = self.place, self.selection
            self.show(self.reader, self.index)
            if place is not None:
                self.go_to_place(place)
            self.select(selection)

    def show_grown(self, reader: TraceReaderProtocol, index: TraceIndex) -> None:
        """Show the same trace with other last steps, keeping the position, or the last step.

        Args:
            reader: The trace, opened again. The caller closes the old one after this call.
            index: Its index.
        """
        place, selection = self.place, self.selection
        # Rows of passes at the end of a long run are replaced by later ones.
        at_end = self.number >= min(self.count, len(index.trace.steps) + 1)
        self.show(reader, index)
        if place is not None and not at_end:
            self.go_to_place(place)
        elif place is not None:
            self.last_step()
        self.select(selection)

    def show_appended(self, reader: TraceReaderProtocol, index: TraceIndex) -> None:
        """Show what a check has appended to the trace, keeping position and selection.

        Args:
            reader: The trace, opened again. The caller closes the old one later.
            index: Its index.
        """
        self._values.reader, self.index = reader, index
        limit_computing(index)
        self.reports_changed.emit(index.trace.reports)

    def select(self, node_id: int | None) -> None:
        """Select a node of the trace; None, or an unknown id, clears the selection."""
        known = self.index is not None and node_id in self.index.node
        node_id = node_id if known else None
        if node_id != self.selection:
            self.selection = node_id
            self.selection_changed.emit(node_id)

    def _on_iterations_changed(self, _: object) -> None:
        graph = self.iterations.graph_index
        if graph is not None and self.selection not in graph.node:
            self.select(None)

    def open_groups(self, keys: Iterable[str]) -> None:
        """Expand groups of the graph."""
        self.fold(self.folds.opening(keys))

    def close_group(self, key: str) -> None:
        """Collapse a group of the graph into one box."""
        self.fold(self.folds.closing((key,)))

    def fold(self, folds: FoldState) -> None:
        """Set which groups are opened and closed; all others return to their default."""
        if folds != self.folds:
            self.folds = folds
            self.folds_changed.emit(folds)

    def show_hits(self, nodes: frozenset[int]) -> None:
        """Mark the nodes that match a search; an empty set clears the marks."""
        known = frozenset() if self.index is None else nodes & self.index.node.keys()
        if known != self.hits:
            self.hits = known
            self.hits_changed.emit(known)

    def pin(self, element: ElementRef | None) -> None:
        """Pin an element, which marks it in every view; None unpins it."""
        if element != self.element:
            self.element = element
            self.element_changed.emit(element)

    def show_arithmetic(self, arithmetic: Arithmetic | None) -> None:
        """Show how an element was computed in every view; None ends it."""
        if arithmetic != self.arithmetic:
            self.arithmetic = arithmetic
            self.arithmetic_changed.emit(arithmetic)

    def highlight_storage(self, storage: int | None) -> None:
        """Highlight one storage in every view; None ends it."""
        self.storage_highlighted.emit(storage)

    def show_differences(self, steps: tuple[int, ...]) -> None:
        """Mark the steps, by number, that differ from another run."""
        if steps != self.differing:
            self.differing = steps
            self.differences_changed.emit(steps)

    def set_reach(self, reach: NonFiniteReach | None) -> None:
        """Set how far the NaN and Inf of this trace get; None until that has been computed."""
        self._reach = reach
        self.reach_changed.emit(reach)

    def is_harmful(self, tensor: int, step: int) -> bool:
        """Whether NaN and Inf of a tensor in a step are known to reach what `NonFiniteReach` tells.

        Not if that would reveal a hidden answer.
        """
        reaches = None if self._reach is None else self._reach.of(tensor, step)
        return reaches is not None and self.revealed.shows(reaches)

    def set_theme(self, theme: Theme) -> None:
        """Switch to another theme and announce it."""
        if theme != self.theme:
            resized = theme.scale != self.theme.scale
            self.theme.become(theme)
            update_all_themes(resized=resized)
            self.theme_changed.emit(theme)

    def value(self, tensor_id: int) -> TensorValue | None:
        """Return the stored elements of a tensor of the trace; None if none were stored.

        Also None for a tensor that would reveal a hidden answer. It blocks until they are read;
        `gradviz.viewer.tensor_view.tensor_loader` does not.
        """
        return None if tensor_id in self.revealed.hidden_tensors else self._values.get(tensor_id)


def _subject(index: TraceIndex | None) -> str:
    return "" if index is None else index.trace.origin.subject

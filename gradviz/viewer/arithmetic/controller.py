"""Keeps the arithmetic of the pinned element up to date."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject

from gradviz.analysis.arithmetic.element_arithmetic import Arithmetic, ArithmeticFinder
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import tensors_in
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.tensor_view.shown_tensor import index_in


class ArithmeticController(QObject):
    """Finds the arithmetic of the pinned element, or of a related one that the step computed."""

    def __init__(self, state: ViewerState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._finder: ArithmeticFinder | None = None
        self._of: TraceIndex | None = None
        for changed in (state.element_changed, state.place_changed, state.revealed_changed):
            changed.connect(self._on_state_changed)

    def of_element(self, element: ElementRef) -> Arithmetic | None:
        """How an element was computed, as seen from the current place."""
        state = self._state
        finder, place = self.finder(), state.place
        if finder is None or place is None or element.tensor in state.revealed.hidden_tensors:
            return None
        return finder.find(place, element.tensor, element.index)

    def finder(self) -> ArithmeticFinder | None:
        """Finds arithmetic in the trace that is shown; None if there is none."""
        index = self._state.index
        if index is None:
            return None
        if self._finder is None or self._of is not index:
            self._finder, self._of = ArithmeticFinder(index), index
        return self._finder

    def _find(self, element: ElementRef) -> Arithmetic | None:
        own = self.of_element(element)
        if own is not None and own.place.step == self._state.number:
            return own
        # A leaf has no arithmetic of its own, but the gradients that the step computes for it have.
        for related in self._related(element):
            found = self.of_element(related)
            if found is not None and found.place.step == self._state.number:
                return found
        return own

    def _related(self, element: ElementRef) -> Iterator[ElementRef]:
        index, lineage = self._state.index, self._state.lineage
        step = None if index is None else step_at(index, self._state.number)
        if index is None or step is None:
            return
        for tensor in dict.fromkeys(tensors_in(index, step)):
            at = index_in(index, lineage, tensor, element)
            if at is not None and tensor != element.tensor:
                yield ElementRef(tensor=tensor, index=at)

    def _on_state_changed(self, what: object) -> None:
        element, hidden = self._state.element, self._state.revealed.hides_answer
        found = None if element is None or hidden else self._find(element)
        self._state.show_arithmetic(found)

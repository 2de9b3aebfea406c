"""Commands that look up the origin or the history of a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.analysis.index.node_steps import steps_of
from gradviz.analysis.index.step_queries import node_at_step, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import named_tensors_in
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import OriginQuery, TensorRef
from gradviz.viewer.view_requests import ViewRequests


def origin_query_of_node(revealed: RevealedTrace, node: int) -> OriginQuery | None:
    """Return a query for the first non-finite tensor of a node, or else its last tensor.

    Args:
        revealed: The trace, with the steps that may be searched.
        node: Id of the node.
    """
    index = revealed.index
    if index is None:
        return None
    steps = [number for number in steps_of(index, node) if revealed.shows(number)]
    return origin_query_of_steps(index, steps) or _last_of(index, steps)


def origin_query_of_steps(index: TraceIndex, numbers: Iterable[int]) -> OriginQuery | None:
    """Return a query for the first non-finite tensor of some steps; None if there is none."""
    non_finite = index.finite.not_finite()
    found = (each for each in _origin_queries(index, numbers) if each.tensor in non_finite)
    return next(found, None)


def _last_of(index: TraceIndex, numbers: Iterable[int]) -> OriginQuery | None:
    found = list(_origin_queries(index, numbers))
    return found[-1] if found else None


def _origin_queries(index: TraceIndex, numbers: Iterable[int]) -> Iterator[OriginQuery]:
    for number in numbers:
        step = step_at(index, number)
        if step is not None:
            for name, tensor in named_tensors_in(index, step):
                yield OriginQuery(tensor=tensor, name=name, step=number)


def node_of(index: TraceIndex | None, selection: int | None, number: int) -> int | None:
    """Return the node that a command acts on: the selected one, or that of the step."""
    if index is None or selection is not None:
        return selection
    return node_at_step(index, number)


class ProvenanceController(QObject):
    """Connects the commands, the requests and the dock."""

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        actions: Actions,
        dock: QDockWidget,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests
        self._actions = actions
        self._dock = dock
        actions.find_origin.triggered.connect(self._on_find_origin_triggered)
        actions.show_history.triggered.connect(self._on_show_history_triggered)
        actions.find_node_origin.triggered.connect(self._on_find_node_origin_triggered)
        requests.origin_requested.connect(self._on_requested)
        requests.history_requested.connect(self._on_requested)
        state.element_changed.connect(self._on_state_changed)
        state.selection_changed.connect(self._on_state_changed)
        state.place_changed.connect(self._on_state_changed)
        state.trace_changed.connect(self._on_state_changed)
        self._on_state_changed(None)

    def _on_find_origin_triggered(self) -> None:
        """Look up the origin of the pinned element, or of the first bad value in the run."""
        element = self._state.element
        query: OriginQuery | None = None
        if element is not None:
            query = OriginQuery(
                tensor=element.tensor,
                name=self._name(element.tensor),
                step=self._state.number,
                index=element.index,
            )
        self._requests.find_origin(query)

    def _on_find_node_origin_triggered(self) -> None:
        """Look up the origin of the first non-finite tensor of the node."""
        node = self._node()
        if node is not None:
            query = origin_query_of_node(self._state.revealed, node)
            if query is not None:
                self._requests.find_origin(query)

    def _node(self) -> int | None:
        return node_of(self._state.index, self._state.selection, self._state.number)

    def _on_show_history_triggered(self) -> None:
        """Show the history of the tensor whose element is pinned."""
        element = self._state.element
        if element is not None:
            name = self._name(element.tensor)
            ref = TensorRef(tensor=element.tensor, name=name, step=self._state.number)
            self._requests.show_history(ref)

    def _name(self, tensor: int) -> str:
        lineage = self._state.lineage
        first = None if lineage is None else lineage.first.get(tensor)
        return self.tr("tensor {number}").format(number=tensor) if first is None else first.name

    def _on_requested(self, what: object) -> None:
        self._dock.show()
        self._dock.raise_()

    def _on_state_changed(self, what: object) -> None:
        known = self._state.index is not None and not self._state.revealed.hides_answer
        self._actions.find_origin.setEnabled(known)
        self._actions.find_node_origin.setEnabled(known and self._node() is not None)
        self._actions.show_history.setEnabled(known and self._state.element is not None)

"""The Origin panel with its two pages, origin and history, and its commands."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDockWidget, QStackedLayout, QWidget

from gradviz.analysis.index.step_queries import node_at_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.provenance.origin_inquiry import ProducerCache
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import OriginQuery, TensorRef, origin_query_of_node
from gradviz.viewer.view_requests import ViewRequests

if TYPE_CHECKING:
    from gradviz.viewer.provenance.history_page import HistoryPage
    from gradviz.viewer.provenance.origin_page import OriginPage


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
        state.reach_changed.connect(self._on_state_changed)
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
        query = self._node_query()
        if query is not None:
            self._requests.find_origin(query)

    def _node_query(self) -> OriginQuery | None:
        node = node_of(self._state.index, self._state.selection, self._state.number)
        return None if node is None else origin_query_of_node(self._state.revealed, node)

    def _on_show_history_triggered(self) -> None:
        """Show the history of the tensor whose element is pinned."""
        element = self._state.element
        if element is not None:
            name = self._name(element.tensor)
            ref = TensorRef(tensor=element.tensor, name=name, step=self._state.number)
            self._requests.show_history(ref)

    def _name(self, tensor: int) -> str:
        lineage = self._state.lineage
        first = None if lineage is None else lineage.first(tensor)
        return self.tr("tensor {number}").format(number=tensor) if first is None else first.name

    def _on_requested(self, what: object) -> None:
        self._dock.show()
        self._dock.raise_()

    def _on_state_changed(self, what: object) -> None:
        known = self._state.index is not None and not self._state.revealed.hides_answer
        self._actions.find_origin.setEnabled(known)
        self._actions.find_node_origin.setEnabled(known and self._node_query() is not None)
        self._actions.show_history.setEnabled(known and self._state.element is not None)


class ProvenancePanel(QWidget):
    """Answers origin and history requests.

    The pages are imported and built when they are first needed, so that windows open sooner.
    """

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        background: Background | None = None,
        actions: Actions | None = None,
    ) -> None:
        super().__init__()
        self._state = state
        self._requests = requests
        self._background = background
        self._actions = actions
        self._producers = ProducerCache()
        self.pages = QStackedLayout(self)
        self.setAccessibleName(self.tr("Origin"))
        requests.origin_requested.connect(self._on_origin_requested)
        state.trace_changed.connect(self._on_state_trace_changed)
        requests.history_requested.connect(self._on_history_requested)

    @cached_property
    def origin(self) -> OriginPage:
        """Page with the origin of a value."""
        from gradviz.viewer.provenance.origin_page import OriginPage

        page = OriginPage(self._state, self._background, self._actions, self._producers)
        page.bar.history.clicked.connect(self._on_history_clicked)
        self.pages.addWidget(page)
        return page

    @cached_property
    def history(self) -> HistoryPage:
        """Page with the versions of a tensor."""
        from gradviz.viewer.provenance.history_page import HistoryPage

        page = HistoryPage(self._state, self._background, self._producers)
        page.other.clicked.connect(self._on_other_clicked)
        self.pages.addWidget(page)
        return page

    def showEvent(self, event: QShowEvent) -> None:
        """Show the origin page first."""
        super().showEvent(event)
        if self.pages.currentWidget() is None:
            self.pages.setCurrentWidget(self.origin)

    def _on_origin_requested(self, query: OriginQuery | None) -> None:
        self.pages.setCurrentWidget(self.origin)
        self.origin.ask(query)

    def _on_state_trace_changed(self, index: object) -> None:
        self._producers.clear()

    def _on_history_requested(self, ref: TensorRef) -> None:
        self.pages.setCurrentWidget(self.history)
        self.history.ask(ref)

    def _on_history_clicked(self) -> None:
        """Show the history of the tensor that was asked about."""
        answer = self.origin.answer
        query = None if answer is None else answer.query
        if query is not None:
            ref = TensorRef(tensor=query.tensor, name=query.name, step=query.step)
            self._requests.show_history(ref)
        else:
            self.pages.setCurrentWidget(self.history)

    def _on_other_clicked(self) -> None:
        """Look up the origin of a bad value in the tensor whose history is shown."""
        ref = self.history.ref
        if ref is not None:
            query = OriginQuery(tensor=ref.tensor, name=ref.name, step=ref.step)
            self._requests.find_origin(query)
        else:
            self.pages.setCurrentWidget(self.origin)


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its commands."""
    state, requests, actions = context.state, context.requests, context.actions
    panel = context.parts.add(ProvenancePanel(state, requests, context.background, actions))
    ProvenanceController(state, requests, actions, context.dock, context.window)
    return panel

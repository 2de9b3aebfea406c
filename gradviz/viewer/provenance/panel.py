"""The Origin panel with its two pages, origin and history."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.provenance.controller import ProvenanceController
from gradviz.viewer.provenance.origin_inquiry import ProducerCache
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import OriginQuery, TensorRef
from gradviz.viewer.view_requests import ViewRequests

if TYPE_CHECKING:
    from gradviz.viewer.provenance.history_page import HistoryPage
    from gradviz.viewer.provenance.origin_page import OriginPage


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

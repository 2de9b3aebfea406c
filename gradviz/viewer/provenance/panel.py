"""The Origin panel with its two pages, origin and history."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedLayout, QWidget

from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.provenance.history_page import HistoryPage
from gradviz.viewer.provenance.origin_inquiry import ProducerCache
from gradviz.viewer.provenance.origin_page import OriginPage
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import OriginQuery, TensorRef
from gradviz.viewer.view_requests import ViewRequests


class ProvenancePanel(QWidget):
    """Answers origin and history requests."""

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        background: Background | None = None,
        actions: Actions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests
        self._producers = ProducerCache()
        self.origin = OriginPage(state, background, actions, self._producers)
        self.history = HistoryPage(state, background, self._producers)
        self.pages = QStackedLayout(self)
        self.pages.addWidget(self.origin)
        self.pages.addWidget(self.history)
        self.setAccessibleName(self.tr("Origin"))
        requests.origin_requested.connect(self._on_origin_requested)
        state.trace_changed.connect(self._on_state_trace_changed)
        requests.history_requested.connect(self._on_history_requested)
        self.origin.bar.history.clicked.connect(self._on_history_clicked)
        self.history.other.clicked.connect(self._on_other_clicked)

    @Slot(object)
    def _on_origin_requested(self, query: OriginQuery | None) -> None:
        self.pages.setCurrentWidget(self.origin)
        self.origin.ask(query)

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        self._producers.clear()

    @Slot(object)
    def _on_history_requested(self, ref: TensorRef) -> None:
        self.pages.setCurrentWidget(self.history)
        self.history.ask(ref)

    @Slot()
    def _on_history_clicked(self) -> None:
        """Show the history of the tensor that was asked about."""
        answer = self.origin.answer
        query = None if answer is None else answer.query
        if query is not None:
            ref = TensorRef(tensor=query.tensor, name=query.name, step=query.step)
            self._requests.show_history(ref)
        else:
            self.pages.setCurrentWidget(self.history)

    @Slot()
    def _on_other_clicked(self) -> None:
        """Look up the origin of a bad value in the tensor whose history is shown."""
        ref = self.history.ref
        if ref is not None:
            query = OriginQuery(tensor=ref.tensor, name=ref.name, step=ref.step)
            self._requests.find_origin(query)
        else:
            self.pages.setCurrentWidget(self.origin)

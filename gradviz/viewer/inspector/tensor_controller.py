"""The controller of the inspector's tensor views: pinning, highlighting, opening, jumping."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal

from gradviz.document.tag import DocumentLink
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef, OriginQuery, TensorRef
from gradviz.viewer.tensor_view.controls.tensor_menu import (
    TensorMenu,
    as_python,
    copy,
    open_tensor_menu,
    show_confirmation,
)
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor, index_in
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.screen_reader import announce


class TensorController(QObject):
    """Connects tensor views with the window's state.

    Signals:
        message_emitted: A sentence on what was saved, and its kind: ``info`` or ``error``.
    """

    message_emitted = Signal(str, str)

    def __init__(
        self, state: ViewerState, requests: ViewRequests, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests
        self._views: list[TensorView] = []
        state.element_changed.connect(self.mark_all)
        state.lineage_changed.connect(self.mark_all)
        state.arithmetic_changed.connect(self.mark_all)
        state.storage_highlighted.connect(self._on_state_storage_highlighted)

    @property
    def same_scale(self) -> bool:
        """Whether compared tensors share a color scale."""
        return self._state.preferences.same_scale

    def adopt(self, view: TensorView) -> None:
        """Connect a new tensor view."""
        self._views.append(view)
        view.element_picked.connect(self._on_view_element_picked)
        view.element_turned.connect(self._on_view_element_turned)
        view.cursor_moved.connect(self._on_view_cursor_moved)
        view.open_requested.connect(self._on_view_open_requested)
        view.origin_requested.connect(self._on_view_origin_requested)
        view.copy_requested.connect(self._on_view_copy_requested)
        view.menu_requested.connect(self._on_view_menu_requested)
        view.jump_requested.connect(self.jump)
        view.storage_hovered.connect(self._state.highlight_storage)

    def mark_all(self) -> None:
        """Mark the pinned element, or the one at its index in related tensors, in every view.

        The elements of the arithmetic are framed instead, if it is known.
        """
        element, index, lineage = self._state.element, self._state.index, self._state.lineage
        arithmetic = self._state.arithmetic
        marks = () if arithmetic is None else arithmetic.marks
        for view in self._views:
            display = view.display
            shown = display.record.id if display is not None else None
            at = None if marks else index_in(index, lineage, shown, element)
            view.mark_element(at)
            view.frame_elements(tuple(mark for mark in marks if mark.tensor == shown))

    def _change(self, view: TensorView) -> None:
        """Request What If for a tensor."""
        if view.display is not None:
            self._requests.change_tensor(self._ref(view.display))

    def _request_origin(self, view: TensorView, index: tuple[int, ...] | None) -> None:
        """Request the origin of non-finite values in a tensor, or of one element."""
        if view.display is not None:
            seen = self._ref(view.display)
            query = OriginQuery(tensor=seen.tensor, name=seen.name, step=seen.step, index=index)
            self._requests.find_origin(query)

    def _request_history(self, view: TensorView) -> None:
        """Request the history of a tensor's memory."""
        if view.display is not None:
            self._requests.show_history(self._ref(view.display))

    def _ref(self, display: ShownTensor) -> TensorRef:
        return TensorRef(tensor=display.record.id, name=display.name, step=self._state.number)

    def _sender_view(self) -> TensorView | None:
        sender = self.sender()
        return sender if isinstance(sender, TensorView) else None

    def _on_state_storage_highlighted(self, storage: int | None) -> None:
        for view in self._views:
            view.highlight_storage(storage)

    def share_scale(self, same: bool) -> None:
        """Let compared tensors share a color scale, or not."""
        self._state.preferences.same_scale = same

    def jump(self, jump: DocumentLink) -> None:
        """Go to a step or a place in it, show a node in the graph, or show a history."""
        view = self._sender_view()
        if jump.history is not None and view is not None and view.display is not None:
            self._requests.show_history(self._ref(view.display))
        elif jump.place is not None:
            self._state.go_to_place(jump.place, jump.place.level)
        elif jump.step is not None:
            self._state.go_to(jump.step)
        elif jump.node is not None:
            self._requests.show_node(jump.node)

    def _on_view_element_picked(self, place: tuple[int, ...] | None) -> None:
        view = self._sender_view()
        if place is None:
            self._state.pin(None)
        elif view is not None and view.display is not None:
            element = ElementRef(tensor=view.display.record.id, index=place)
            # Picking the pinned element again unpins it.
            self._state.pin(None if element == self._state.element else element)

    def _on_view_element_turned(self, place: tuple[int, ...] | None, by: int) -> None:
        view = self._sender_view()
        if view is not None and view.display is not None:
            tensor = view.display.record.id
            element = None if place is None else ElementRef(tensor=tensor, index=place)
            self._requests.turn_element(element, by)

    def _on_view_cursor_moved(self, cell: tuple[int, int] | None) -> None:
        view = self._sender_view()
        if view is not None and cell is not None and view.heatmap.hasFocus():
            announce(view.heatmap, view.heatmap.element_text(cell))

    def _on_view_open_requested(self) -> None:
        view = self._sender_view()
        if view is not None and view.display is not None:
            self._requests.show_tensor(self._ref(view.display))

    def _on_view_origin_requested(self, index: tuple[int, ...]) -> None:
        view = self._sender_view()
        if view is not None:
            self._request_origin(view, index)

    def _on_view_copy_requested(self) -> None:
        view = self._sender_view()
        if view is not None and view.copyable is not None:
            show_confirmation(view, copy(view.copyable, as_python))

    def _on_view_menu_requested(self, place: QPoint) -> None:
        view = self._sender_view()
        if view is not None and view.copyable is not None:
            menu = TensorMenu(view.copyable, view)
            menu.open_requested.connect(view.open_requested)
            menu.change_requested.connect(partial(self._change, view))
            menu.origin_requested.connect(partial(self._request_origin, view))
            menu.history_requested.connect(partial(self._request_history, view))
            menu.message_emitted.connect(self.message_emitted)
            open_tensor_menu(menu, place)

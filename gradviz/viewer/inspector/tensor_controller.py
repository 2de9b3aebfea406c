"""The controller of the inspector's tensor views: pinning, highlighting, opening, jumping."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint

from gradviz.document.tag import DocumentLink
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import ElementRef
from gradviz.viewer.tensor_view.controls.tensor_menu import TensorCommands, as_python, copy
from gradviz.viewer.tensor_view.shown_tensor import index_in
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.screen_reader import announce


class TensorController(TensorCommands):
    """Connects tensor views with the window's state."""

    def __init__(
        self, state: ViewerState, requests: ViewRequests, parent: QObject | None = None
    ) -> None:
        super().__init__(state, requests, parent)
        self._views: list[TensorView] = []
        state.element_changed.connect(self.mark_all)
        state.arithmetic_changed.connect(self.mark_all)
        state.storage_highlighted.connect(self._on_state_storage_highlighted)

    def adopt(self, view: TensorView) -> None:
        """Connect a new tensor view."""
        self._views.append(view)
        view.element_picked.connect(partial(self._do, self.pin, view))
        view.element_turned.connect(partial(self._turn, view))
        view.cursor_moved.connect(partial(self._say_element, view))
        view.open_requested.connect(partial(self._do, self.enlarge, view))
        view.origin_requested.connect(partial(self._do, self.find_origin, view))
        view.copy_requested.connect(partial(self._copy, view))
        view.menu_requested.connect(partial(self._open_menu, view))
        view.jump_requested.connect(partial(self._jump_from, view))
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

    def _on_state_storage_highlighted(self, storage: int | None) -> None:
        for view in self._views:
            view.highlight_storage(storage)

    def share_scale(self, same: bool) -> None:
        """Let compared tensors share a color scale, or not."""
        self._state.preferences.same_scale = same

    def jump(self, jump: DocumentLink) -> None:
        """Go to a step or a place in it, or show a node in the graph."""
        if jump.place is not None:
            self._state.go_to_place(jump.place, jump.place.level)
        elif jump.step is not None:
            self._state.go_to(jump.step)
        elif jump.node is not None:
            self._requests.show_node(jump.node)

    def _jump_from(self, view: TensorView, jump: DocumentLink) -> None:
        if jump.history is None:
            self.jump(jump)
        else:
            self._do(self.show_history, view)

    def _do(self, command: Callable[..., None], view: TensorView, *arguments: object) -> None:
        """Do something for the tensor of a view, if it shows one."""
        if view.display is not None:
            command(view.display, *arguments)

    def _turn(self, view: TensorView, place: tuple[int, ...] | None, by: int) -> None:
        if view.display is not None:
            tensor = view.display.record.id
            element = None if place is None else ElementRef(tensor=tensor, index=place)
            self._requests.turn_element(element, by)

    def _say_element(self, view: TensorView, cell: tuple[int, int] | None) -> None:
        if cell is not None and view.heatmap.hasFocus():
            announce(view.heatmap, view.heatmap.element_text(cell))

    def _copy(self, view: TensorView) -> None:
        if view.copyable is not None:
            copy(view.copyable, as_python, view)

    def _open_menu(self, view: TensorView, place: QPoint) -> None:
        self.open_menu(view.copyable, view, place)

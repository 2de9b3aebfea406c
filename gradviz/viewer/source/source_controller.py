"""Responds to clicks on lines, calls and variables in the source pane."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import Item
from gradviz.viewer.actions import Actions
from gradviz.viewer.source.code_column import CodeColumn
from gradviz.viewer.source.locals_panel import LocalsPanel
from gradviz.viewer.source.source_passages import SourceContent
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.view_requests import ViewRequests


class SourcePane(Protocol):
    """The pane that the controller listens to.

    Attributes:
        forward: Column with the source of a forward.
        backward: Column with the source of a backward.
        locals: The local variables.
    """

    forward: CodeColumn
    backward: CodeColumn
    locals: LocalsPanel

    @property
    def shown(self) -> SourceContent:
        """The content of the pane at the current step."""

    def place_of(self, column: CodeColumn, line: int) -> TracePosition | None:
        """The position to go to from a line; None if there is none."""

    def toggle_breakpoint(self, column: CodeColumn, line: int) -> None:
        """Request that a breakpoint at a line is set or removed."""

    def request_edit(self, column: CodeColumn) -> None:
        """Request to open the source of a column in an editor."""

    def request_edit_here(self, column: CodeColumn) -> None:
        """Request to edit the source of a column in the pane itself."""


class SourceController(QObject):
    """Connects the source pane to the viewer state.

    Args:
        panel: The pane.
        state: The state that clicks change.
        requests: Receives requests for enlarged tensors.
        actions: The window's commands, for recording again; None to leave that out.
        parent: Owner of the controller.
    """

    def __init__(
        self,
        panel: SourcePane,
        state: ViewerState,
        requests: ViewRequests,
        actions: Actions | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._state = state
        self._requests = requests
        self._actions = actions
        for column in (panel.forward, panel.backward):
            column.edit_requested.connect(self._on_column_edit_requested)
            column.edit_here_requested.connect(self._on_column_edit_here_requested)
            column.view.line_chosen.connect(self._on_view_line_chosen)
            column.view.line_entered.connect(self._on_view_line_entered)
            column.view.breakpoint_toggled.connect(self._on_view_breakpoint_toggled)
        panel.locals.item_chosen.connect(self._on_locals_item_chosen)
        panel.locals.frame_chosen.connect(self._on_locals_frame_chosen)
        panel.locals.record_requested.connect(self._on_locals_record_requested)

    def _column(self) -> CodeColumn:
        """Return the column that sent the signal, or whose view did."""
        backward = self._panel.backward
        return backward if self.sender() in (backward, backward.view) else self._panel.forward

    def _on_view_line_chosen(self, line: int) -> None:
        place = self._panel.place_of(self._column(), line)
        if place is not None:
            self._state.go_to_place(place)

    def _on_view_line_entered(self, line: int) -> None:
        place = self._panel.place_of(self._column(), line)
        if place is not None:
            self._state.go_to_place(place, "line")

    def _on_view_breakpoint_toggled(self, line: int) -> None:
        self._panel.toggle_breakpoint(self._column(), line)

    def _on_column_edit_requested(self) -> None:
        self._panel.request_edit(self._column())

    def _on_column_edit_here_requested(self) -> None:
        self._panel.request_edit_here(self._column())

    def _on_locals_item_chosen(self, item: Item) -> None:
        if item.tensor is not None:
            ref = TensorRef(tensor=item.tensor, name=item.name, step=self._state.number)
            self._requests.show_tensor(ref)

    def _on_locals_frame_chosen(self, at: int) -> None:
        """Go to the line of the call that made the next inner call."""
        reach, place = self._panel.shown.reach, self._state.place
        if reach is None or place is None:
            return
        stack = reach.stack()
        if at + 1 < len(stack):
            caller = reach.ran.part.frames[stack[at + 1]].caller
            self._state.go_to_place(
                TracePosition(step=place.step, stage=place.stage, line=caller), "line"
            )

    def _on_locals_record_requested(self) -> None:
        if self._actions is not None:
            self._actions.record_lines.trigger()

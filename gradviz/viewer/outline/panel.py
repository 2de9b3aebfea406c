"""The Outline panel: the graph as a list that follows the step and the selection."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from gradviz.analysis.index.node_steps import next_step_of
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.document.document import Document
from gradviz.document.outline import OutlineStep, graph_outline
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.outline import KEYS
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.plain_text import PlainLabel

OPENED_ROWS = 400
"""Largest number of nodes for which all modules are expanded at first."""

_WIDTHS = (
    ColumnWidth(168, grows=1, most=238),
    ColumnWidth(88),
    ColumnWidth(70, drop=1),
    ColumnWidth(110, drop=2),
    ColumnWidth(120, drop=3),
)


class OutlinePanel(QWidget):
    """Lists the nodes of the graph; not updated while hidden, as a large graph has many rows."""

    def __init__(self, state: ViewerState, requests: ViewRequests) -> None:
        super().__init__()
        self._state = state
        self._requests = requests
        self._shown: TraceIndex | None = None
        self._outline = Document()
        self.view = RowsView(state.theme, _WIDTHS, KEYS, clicks=False)
        self.view.setObjectName("outline")
        # Names differ at both ends.
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.view.setAccessibleName(self.tr("Nodes of the graph"))
        self.view.setToolTip(self.tr("Enter: go to the step of the node and show it in the graph"))
        self._hint = PlainLabel(
            self.tr("Once there is a graph, its nodes are listed here."), muted=True
        )
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setContentsMargins(16, 16, 16, 16)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self._hint)
        self._pages.addWidget(self.view)
        self.setAccessibleName(self.tr("Outline"))
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._refresh)
        state.selection_changed.connect(self._on_state_selection_changed)
        state.hits_changed.connect(self._refresh)
        state.reach_changed.connect(self._refresh)
        self.view.current_changed.connect(self._on_view_current_changed)
        self.view.chosen.connect(self._on_view_chosen)

    def _refresh(self) -> None:
        """Update to the current state, if visible."""
        if not self.isVisible():
            return
        index, state = self._state.index, self._state
        is_new = index is not self._shown
        if is_new:
            self._shown = index
            self._outline = Document() if index is None else graph_outline(index)
        self._pages.setCurrentWidget(self.view if self._outline.keys else self._hint)
        # The stack has not yet resized a page that it did not show before.
        self.view.resize(self.size())
        if index is not None:
            step = OutlineStep(index, state.number, state.revealed, state.is_harmful, state.hits)
            self.view.show_document(replace(self._outline, row=step.row))
        else:
            self.view.show_document(self._outline)
        if is_new and index is not None and len(index.trace.nodes) <= OPENED_ROWS:
            self.view.expandAll()
        self._show_selection()

    def _show_selection(self) -> None:
        key = self._state.selection
        if key != self.view.current_key and (
            key is not None or isinstance(self.view.current_key, int)
        ):
            self.view.go_to(key)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if index is None:
            # A closed trace must not be queried again.
            self._shown, self._outline = None, Document()
            self.view.show_document(self._outline)
        self._refresh()

    def _on_state_selection_changed(self, node: int | None) -> None:
        if self.isVisible():
            self._show_selection()

    def _on_view_current_changed(self, key: Hashable | None) -> None:
        if isinstance(key, int):
            self._state.select(key)

    def _on_view_chosen(self, key: Hashable, column: int) -> None:
        """Go to the next step of a node; expand or collapse a module."""
        index = self._state.index
        if index is None or not isinstance(key, int):
            self.view.toggle(key)
            return
        step = next_step_of(index, key, self._state.number)
        if step is not None:
            self._state.go_to(step)
        self._requests.show_node(key)

    def showEvent(self, event: QShowEvent) -> None:
        """Update to what changed while the panel was hidden."""
        super().showEvent(event)
        self._refresh()


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel, whose menu has the same commands as the node in the graph."""
    panel = context.parts.add(OutlinePanel(context.state, context.requests))
    nodes, view = context.parts[NodeCommands], panel.view

    def fill_menu(menu: QMenu, key: Hashable) -> None:
        if isinstance(key, int):
            menu.addAction(context.actions.toggle_breakpoint)
            nodes.fill(menu)
            return
        is_open = view.isExpanded(view.rows.place_of(key))
        close, open_ = translate("ContextMenus", "&Close"), translate("ContextMenus", "&Open")
        menu.addAction(close if is_open else open_).triggered.connect(lambda: view.toggle(key))

    view.add_to_menu(fill_menu)
    return panel

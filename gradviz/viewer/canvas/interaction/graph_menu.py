"""The graph's context menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from gradviz.viewer.actions import Actions
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.context_menu import ContextMenu, fill
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.state import ViewerState


class GraphMenu:
    """The graph's context menu: commands for the node under the mouse or the whole graph."""

    def __init__(
        self, state: ViewerState, graph: GraphPanel, actions: Actions, nodes: NodeCommands
    ) -> None:
        self._state = state
        self._graph = graph
        self._actions = actions
        self._nodes = nodes
        self.menu = ContextMenu(graph.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        picture = self._graph.stage.picture
        if picture is None:
            return
        card = self._graph.stage.current_box() if at is None else self._graph.view.card_at(at)
        actions = self._actions
        if card is None:
            fill(menu, [actions.fit, actions.full_size, actions.zoom_in, actions.zoom_out, None])
            fill(menu, [actions.fold_all, None, actions.legend, None])
            fill(menu, [actions.find, None, actions.export_graph])
            return
        self._state.select(next(iter(picture.nodes[card].nodes), None))
        fill(menu, [actions.open_group, actions.close_group, actions.describe, None])
        fill(menu, [actions.toggle_breakpoint])
        self._nodes.fill(menu)

    def _place(self) -> QPoint:
        """Return the center of the current node, where the Menu key opens the menu."""
        view, card = self._graph.view, self._graph.stage.current_box()
        middle = view.viewport().rect().center()
        return middle if card is None else view.card_rect(card).center().toPoint()

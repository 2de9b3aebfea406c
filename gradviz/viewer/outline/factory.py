"""Builds the Outline panel."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtWidgets import QMenu, QWidget

from gradviz.viewer.commands.context_menu import fill
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.translation import translate


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel, whose menu has the same commands as the node in the graph."""
    panel = context.parts.add(OutlinePanel(context.state, context.requests))
    nodes, view = context.parts[NodeCommands], panel.view

    def fill_menu(menu: QMenu, key: Hashable) -> None:
        if isinstance(key, int):
            fill(menu, [context.actions.toggle_breakpoint, *nodes.entries])
            return
        is_open = view.isExpanded(view.rows.place_of(key))
        close, open_ = translate("ContextMenus", "&Close"), translate("ContextMenus", "&Open")
        menu.addAction(close if is_open else open_).triggered.connect(lambda: view.toggle(key))

    view.add_to_menu(fill_menu)
    return panel

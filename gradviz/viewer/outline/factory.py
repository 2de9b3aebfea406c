"""Builds the Outline panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.outline.outline_menu import OutlineMenu
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its context menu."""
    panel = context.parts.add(OutlinePanel(context.state, context.requests))
    OutlineMenu(panel, context.actions, context.parts[NodeCommands])
    return panel

"""Builds the What If panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.what_if.controller import WhatIfController


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its commands and the What If menu of nodes."""
    control = context.parts.add(WhatIfController(context))
    control.fill_menu_of(context.parts[NodeCommands])
    return control.panel

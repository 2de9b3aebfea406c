"""Builds the Console panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.console.console_menu import ConsoleMenu
from gradviz.viewer.console.panel import ConsolePanel
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its context menu."""
    panel = context.parts.add(ConsolePanel(context.state))
    ConsoleMenu(panel.view)
    return panel

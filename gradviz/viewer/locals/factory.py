"""Builds the Locals panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.source.panel import SourcePanel


def make_panel(context: PanelContext) -> QWidget:
    """Return the variables, which follow the source pane."""
    panel = context.parts[SourcePanel].locals
    context.dock.visibilityChanged.connect(panel.on_dock_visibility_changed)
    return panel

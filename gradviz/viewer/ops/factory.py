"""Builds the ops panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.ops.panel import OpsPanel
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel."""
    panel = context.parts.add(OpsPanel(context.state, context.requests, context.actions))
    context.dock.visibilityChanged.connect(panel.on_dock_visibility_changed)
    return panel

"""Builds the Origin panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.provenance.controller import ProvenanceController
from gradviz.viewer.provenance.panel import ProvenancePanel


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its commands."""
    state, requests, actions = context.state, context.requests, context.actions
    panel = context.parts.add(ProvenancePanel(state, requests, context.background, actions))
    ProvenanceController(state, requests, actions, context.dock, context.window)
    return panel

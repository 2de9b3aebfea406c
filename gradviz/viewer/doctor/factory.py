"""Builds the Doctor panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.doctor.panel import DoctorPanel, DoctorTabCount
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel; its dock's title counts the findings."""
    panel = context.parts.add(DoctorPanel(context.state, context.requests))
    DoctorTabCount(panel, context.dock, context.window)
    return panel

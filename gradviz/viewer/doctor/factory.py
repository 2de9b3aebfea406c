"""Builds the Doctor panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.doctor.panel import DoctorPanel
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel."""
    return context.parts.add(DoctorPanel(context.state, context.requests))

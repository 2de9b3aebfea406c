"""Builds the Training panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.training.controller import TrainingController
from gradviz.viewer.training.panel import TrainingPanel


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel; its dock is shown when a run contains training."""
    panel = context.parts.add(TrainingPanel(context.state, context.background))
    docks = context.window.docks
    neighbors = tuple(docks[name] for name in ("source", "ops", "console", "doctor"))
    TrainingController(context.state, context.dock, neighbors, context.window)
    return panel

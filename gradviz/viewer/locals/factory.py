"""Builds the Locals panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.source.panel import SourcePanel


def make_panel(context: PanelContext) -> QWidget:
    """Return the variables, which follow the source pane."""
    return context.parts[SourcePanel].locals

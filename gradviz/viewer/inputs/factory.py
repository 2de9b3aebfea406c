"""Builds the Inputs form."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> QWidget:
    """Build the form."""
    return context.parts.add(InputsForm(context.state, remembers=context.window.remembers))

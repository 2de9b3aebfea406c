"""Builds the source pane."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.source.edit_controller import EditController
from gradviz.viewer.source.editor_controller import EditorController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.source.source_menu import SourceMenu


def make_panel(context: PanelContext) -> QWidget:
    """Build the pane with its context menus and the connection to an editor."""
    state, actions = context.state, context.actions
    panel = SourcePanel(state, context.requests, background=context.background, actions=actions)
    EditorController(state, panel, actions, context.window).message_emitted.connect(
        context.window.messages.say
    )
    edits = EditController(panel, context.session, context.requests, context.window)
    edits.message_emitted.connect(context.window.messages.say)
    context.parts.add(edits)
    for column in (panel.forward, panel.backward):
        SourceMenu(state, panel, column, actions)
    return context.parts.add(panel)

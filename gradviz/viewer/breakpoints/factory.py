"""Builds the Breakpoints panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.breakpoints.controller import BreakpointController
from gradviz.viewer.breakpoints.marker_links import (
    GraphBreakpoints,
    SourceBreakpoints,
    TimelineBreakpoints,
)
from gradviz.viewer.breakpoints.panel import BreakpointPanel
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.timeline.panel import TimelinePanel


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its commands, and mark breakpoints in the other views."""
    state, actions, parts, window = context.state, context.actions, context.parts, context.window
    breakpoints = parts.add(
        BreakpointList(state, context.background, stored=window.remembers, parent=window)
    )
    panel = BreakpointPanel(state, breakpoints, actions)
    GraphBreakpoints(breakpoints, parts[GraphPanel])
    TimelineBreakpoints(breakpoints, parts[TimelinePanel])
    control = BreakpointController(state, breakpoints, actions, parts[NodeCommands], window)
    source = parts[SourcePanel]
    control.follow_source(source, SourceBreakpoints(breakpoints, source).current_line)
    return panel

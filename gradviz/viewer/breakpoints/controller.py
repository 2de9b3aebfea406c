"""Builds the Breakpoints panel, with the commands and the marks in other views."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.analysis.position.trace_position import TracePosition, line_at
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.breakpoints.panel import BreakpointPanel
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.translation import translate


class BreakpointController(QObject):
    """Connects the breakpoints with the commands, and with graph, source and timeline.

    These mark the breakpoints; the source sets those of lines, and the timeline stops at hits.
    """

    def __init__(self, context: PanelContext, breakpoints: BreakpointList) -> None:
        super().__init__(breakpoints)
        parts, self._state, self._breakpoints = context.parts, context.state, breakpoints
        self._actions, self._reasons = context.actions, dict(context.actions.reasons)
        self._nodes = parts[NodeCommands]
        self._graph, self._source = parts[GraphPanel], parts[SourcePanel]
        self._timeline = parts[TimelinePanel]
        self._connect_commands()
        self._source.set_breakable()
        self._source.breakpoint_toggled.connect(breakpoints.toggle_line)
        self._timeline.player.stop_at(breakpoints.first_hit_until)
        self._graph.view.scene_shown.connect(self._mark_graph)
        breakpoints.changed.connect(self._mark_graph)
        breakpoints.changed.connect(self._mark_lines_and_steps)
        self._mark_lines_and_steps()

    def _connect_commands(self) -> None:
        state, breakpoints, actions = self._state, self._breakpoints, self._actions
        actions.toggle_breakpoint.triggered.connect(self._on_toggle_triggered)
        actions.clear_breakpoints.triggered.connect(breakpoints.clear)
        actions.run_to_next_breakpoint.triggered.connect(breakpoints.run_to_next_breakpoint)
        actions.run_to_previous_breakpoint.triggered.connect(breakpoints.run_to_previous_breakpoint)
        actions.run_here.triggered.connect(self._on_run_here_triggered)
        for signal in (state.trace_changed, state.place_changed, state.selection_changed):
            signal.connect(self._show_enabled)
        breakpoints.changed.connect(self._show_enabled)
        self._show_enabled()

    def _mark_graph(self) -> None:
        self._graph.stage.show_breakpoints(self._breakpoints.nodes)
        self._graph.surroundings.explain()

    def _mark_lines_and_steps(self) -> None:
        self._source.show_breakpoints(self._breakpoints.lines)
        self._timeline.bar.show_breakpoints(self._breakpoints.steps)

    def _line(self) -> tuple[str, int] | None:
        """Return the cursor's line if the source has the focus, else the current one.

        A selected node takes precedence over the current line.
        """
        source, focused = self._source, QApplication.focusWidget()
        if focused is not None and (source is focused or source.isAncestorOf(focused)):
            return source.current_line()
        index, place = self._state.index, self._state.place
        if self._state.selection is not None or index is None or place is None:
            return None
        line = line_at(index, place)
        return None if line is None else (line.location.path, line.location.line)

    def _current_position(self) -> TracePosition | None:
        """Return the next step of the node, or None."""
        node, place = self._nodes.node, self._state.place
        steps = () if node is None else self._nodes.steps(node)
        after = [step for step in steps if place is not None and step > place.step]
        return TracePosition(step=after[0]) if after else None

    def _show_enabled(self) -> None:
        actions, breakpoints = self._actions, self._breakpoints
        actions.toggle_breakpoint.setEnabled(self._state.index is not None)
        actions.clear_breakpoints.setEnabled(bool(breakpoints.points))
        searching = translate("Reasons", "the search for breakpoint hits is still running")
        for action, target in (
            (actions.run_to_next_breakpoint, breakpoints.next_target()),
            (actions.run_to_previous_breakpoint, breakpoints.previous_target()),
        ):
            action.setEnabled(target is not None)
            actions.reasons[action] = searching if breakpoints.busy else self._reasons[action]
        actions.run_here.setEnabled(self._current_position() is not None)

    def _on_toggle_triggered(self) -> None:
        line, node = self._line(), self._nodes.node
        if line is not None:
            self._breakpoints.toggle_line(*line)
        elif node is not None:
            self._breakpoints.toggle_node(node)

    def _on_run_here_triggered(self) -> None:
        """Go to the node's next step, or to the first breakpoint before it."""
        place = self._current_position()
        if place is not None:
            self._breakpoints.go_to(self._breakpoints.first_hit_until(place) or place)


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel with its commands, and mark breakpoints in the other views."""
    state, window = context.state, context.window
    breakpoints = BreakpointList(state, context.background, stored=window.remembers, parent=window)
    panel = BreakpointPanel(state, context.parts.add(breakpoints), context.actions)
    BreakpointController(context, breakpoints)
    return panel

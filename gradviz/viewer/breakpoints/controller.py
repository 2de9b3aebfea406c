"""Builds the Breakpoints panel, with the commands and the marks in other views."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.analysis.position.trace_position import TracePosition, line_at
from gradviz.viewer.actions import Actions
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.breakpoints.panel import BreakpointPanel
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.translation import translate


class BreakpointMarks(QObject):
    """Marks breakpoints in graph, source and timeline, sets those of lines, and stops playback."""

    def __init__(
        self,
        breakpoints: BreakpointList,
        graph: GraphPanel,
        source: SourcePanel,
        timeline: TimelinePanel,
    ) -> None:
        super().__init__(breakpoints)
        self._breakpoints, self._graph = breakpoints, graph
        self._source, self._timeline = source, timeline
        source.set_breakable()
        source.breakpoint_toggled.connect(breakpoints.toggle_line)
        timeline.player.stop_at(breakpoints.first_hit_until)
        graph.view.scene_shown.connect(self._mark_graph)
        breakpoints.changed.connect(self._mark_graph)
        breakpoints.changed.connect(self._mark_lines_and_steps)
        self._mark_lines_and_steps()

    def _mark_graph(self) -> None:
        self._graph.stage.show_breakpoints(self._breakpoints.nodes)
        self._graph.surroundings.explain()

    def _mark_lines_and_steps(self) -> None:
        self._source.show_breakpoints(self._breakpoints.lines)
        self._timeline.bar.show_breakpoints(self._breakpoints.steps)


LineUnderCursor = Callable[[], tuple[str, int] | None]
"""Returns path and number of the current source line."""


class BreakpointController(QObject):
    """Connects the commands with the breakpoints.

    Args:
        state: The state of the window.
        breakpoints: The breakpoints.
        actions: The window's commands.
        nodes: Provides the node that commands act on.
        parent: The parent object.
    """

    def __init__(
        self,
        state: ViewerState,
        breakpoints: BreakpointList,
        actions: Actions,
        nodes: NodeCommands,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._breakpoints = breakpoints
        self._actions, self._reasons = actions, dict(actions.reasons)
        self._nodes = nodes
        self._source: tuple[QWidget, LineUnderCursor] | None = None
        actions.toggle_breakpoint.triggered.connect(self._on_toggle_triggered)
        actions.clear_breakpoints.triggered.connect(breakpoints.clear)
        actions.run_to_next_breakpoint.triggered.connect(breakpoints.run_to_next_breakpoint)
        actions.run_to_previous_breakpoint.triggered.connect(breakpoints.run_to_previous_breakpoint)
        actions.run_here.triggered.connect(self._on_run_here_triggered)
        for signal in (state.trace_changed, state.place_changed, state.selection_changed):
            signal.connect(self._show_enabled)
        breakpoints.changed.connect(self._show_enabled)
        self._show_enabled()

    def follow_source(self, panel: QWidget, line: LineUnderCursor) -> None:
        """Make the toggle command use a source panel's cursor line while it has the focus."""
        self._source = panel, line
        self._show_enabled()

    def _line(self) -> tuple[str, int] | None:
        """Return the cursor's line if the source has the focus, else the current one.

        A selected node takes precedence over the current line.
        """
        focused = QApplication.focusWidget()
        if self._source is not None and focused is not None:
            panel, line = self._source
            if panel is focused or panel.isAncestorOf(focused):
                return line()
        return self._line_now() if self._state.selection is None else None

    def _line_now(self) -> tuple[str, int] | None:
        index, place = self._state.index, self._state.place
        line = None if index is None or place is None else line_at(index, place)
        return None if line is None else (line.location.path, line.location.line)

    def _current_position(self) -> TracePosition | None:
        """Return the next step of the node, or None."""
        node, place = self._nodes.node, self._state.place
        steps = () if node is None else self._nodes.steps(node)
        after = [step for step in steps if place is not None and step > place.step]
        return TracePosition(step=after[0]) if after else None

    def _show_enabled(self) -> None:
        actions, breakpoints = self._actions, self._breakpoints
        has_trace = self._state.index is not None
        can_set = self._nodes.node is not None or self._source is not None
        actions.toggle_breakpoint.setEnabled(has_trace and can_set)
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
    state, actions, parts, window = context.state, context.actions, context.parts, context.window
    breakpoints = parts.add(
        BreakpointList(state, context.background, stored=window.remembers, parent=window)
    )
    panel = BreakpointPanel(state, breakpoints, actions)
    source = parts[SourcePanel]
    BreakpointMarks(breakpoints, parts[GraphPanel], source, parts[TimelinePanel])
    control = BreakpointController(state, breakpoints, actions, parts[NodeCommands], window)
    control.follow_source(source, source.current_line)
    return panel

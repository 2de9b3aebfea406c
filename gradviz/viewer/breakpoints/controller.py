"""Commands that set breakpoints and run to them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.analysis.position.trace_position import TracePosition, line_at
from gradviz.viewer.actions import Actions
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.state import ViewerState

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
        self._actions = actions
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
        actions.run_to_next_breakpoint.setEnabled(breakpoints.next_target() is not None)
        actions.run_to_previous_breakpoint.setEnabled(breakpoints.previous_target() is not None)
        actions.run_here.setEnabled(self._current_position() is not None)

    @Slot()
    def _on_toggle_triggered(self) -> None:
        line, node = self._line(), self._nodes.node
        if line is not None:
            self._breakpoints.toggle_line(*line)
        elif node is not None:
            self._breakpoints.toggle_node(node)

    @Slot()
    def _on_run_here_triggered(self) -> None:
        """Go to the node's next step, or to the first breakpoint before it."""
        place = self._current_position()
        if place is not None:
            self._breakpoints.go_to(self._breakpoints.first_hit_until(place) or place)

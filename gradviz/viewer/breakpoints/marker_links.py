"""Connects breakpoints with the graph, the source and the timeline."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.timeline.panel import TimelinePanel


class GraphBreakpoints(QObject):
    """Marks the cards of nodes that have a breakpoint."""

    def __init__(self, breakpoints: BreakpointList, panel: GraphPanel) -> None:
        super().__init__(breakpoints)
        self._breakpoints = breakpoints
        self._stage = panel.stage
        self._surroundings = panel.surroundings
        panel.view.scene_shown.connect(self._show)
        breakpoints.changed.connect(self._on_breakpoints_changed)

    def _show(self) -> None:
        self._stage.show_breakpoints(self._breakpoints.nodes)
        self._surroundings.explain()

    @Slot()
    def _on_breakpoints_changed(self) -> None:
        self._show()


class SourceBreakpoints(QObject):
    """Sets breakpoints at source lines and shows the existing ones."""

    def __init__(self, breakpoints: BreakpointList, panel: SourcePanel) -> None:
        super().__init__(breakpoints)
        self._breakpoints = breakpoints
        self._panel = panel
        panel.set_breakable()
        panel.breakpoint_toggled.connect(breakpoints.toggle_line)
        breakpoints.changed.connect(self._on_breakpoints_changed)
        self._on_breakpoints_changed()

    def current_line(self) -> tuple[str, int] | None:
        """Return path and number of the line with the cursor in the source panel."""
        return self._panel.current_line()

    @Slot()
    def _on_breakpoints_changed(self) -> None:
        self._panel.show_breakpoints(self._breakpoints.lines)


class TimelineBreakpoints(QObject):
    """Marks the steps with hits in the timeline and stops playback at them."""

    def __init__(self, breakpoints: BreakpointList, panel: TimelinePanel) -> None:
        super().__init__(breakpoints)
        self._breakpoints = breakpoints
        self._panel = panel
        panel.player.stop_at(breakpoints.first_hit_until)
        breakpoints.changed.connect(self._on_breakpoints_changed)
        self._on_breakpoints_changed()

    @Slot()
    def _on_breakpoints_changed(self) -> None:
        self._panel.bar.show_breakpoints(self._breakpoints.steps)

"""What one part of the window asks of another, without knowing which part that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from pathlib import Path

    from gradviz.analysis.training.value_series import ValueSeries
    from gradviz.gallery.registry import Scene
    from gradviz.model.finding import Finding
    from gradviz.model.what_if import WhatIfChange
    from gradviz.viewer.state import ViewerState
    from gradviz.viewer.tensor_refs import ElementRef, OriginQuery, TensorRef


class ViewRequests(QObject):
    """The requests of one window: whoever can answer one listens to its signal.

    Signals:
        node_requested: Id of a node to scroll to, whatever hides it.
        tensor_requested: The `TensorRef` of a tensor to enlarge.
        origin_requested: The `OriginQuery` whose origin is requested; None for the first bad value
            of the run.
        history_requested: The `TensorRef` of a tensor whose history is requested.
        change_requested: The `TensorRef` of a tensor to change for another run.
        turn_requested: The `ElementRef` of a number to change, or None for the one before, and by
            how many steps; 0 at the end of a drag.
        changed_run_requested: The tuple of `WhatIfChange` to run with.
        finding_requested: The `Finding` to explain.
        page_requested: Name of a page of the guide to show.
        part_requested: Name of a dock or central tab to show.
        scene_requested: The `Scene` to run.
        comparison_requested: Id of a scene to compare the run with, and the `Path` of its trace if
            it is recorded already.
        series_requested: The `ValueSeries` to show among the curves of the Training tab.
        check_requested: 1 to check the Jacobians of the function, 2 those of its backward.
    """

    node_requested = Signal(object)
    tensor_requested = Signal(object)
    origin_requested = Signal(object)
    history_requested = Signal(object)
    change_requested = Signal(object)
    turn_requested = Signal(object, int)
    changed_run_requested = Signal(object)
    finding_requested = Signal(object)
    page_requested = Signal(str)
    part_requested = Signal(str)
    scene_requested = Signal(object)
    comparison_requested = Signal(str, object)
    series_requested = Signal(object)
    check_requested = Signal(int)

    def __init__(self, state: ViewerState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state

    def show_node(self, node: int) -> None:
        """Select a node and ask views to scroll to it; an unknown id clears the selection."""
        self._state.select(node)
        if self._state.selection == node:
            self.node_requested.emit(node)

    def show_tensor(self, tensor: TensorRef) -> None:
        """Request an enlarged view of a tensor."""
        self.tensor_requested.emit(tensor)

    def show_series(self, series: ValueSeries | None) -> None:
        """Request the Training tab with a value over the iterations."""
        self.series_requested.emit(series)

    def find_origin(self, query: OriginQuery | None) -> None:
        """Request the origin of a tensor's bad value, or of the run's first one if None."""
        self.origin_requested.emit(query)

    def show_history(self, tensor: TensorRef) -> None:
        """Request the history of a tensor's memory."""
        self.history_requested.emit(tensor)

    def change_tensor(self, tensor: TensorRef) -> None:
        """Request to change a tensor for another run."""
        self.change_requested.emit(tensor)

    def turn_element(self, element: ElementRef | None, by: int) -> None:
        """Request another run with a larger or smaller number.

        Args:
            element: The number; None for the one before.
            by: By how many steps it changes; 0 at the end of a drag.
        """
        self.turn_requested.emit(element, by)

    def run_changed(self, changes: tuple[WhatIfChange, ...]) -> None:
        """Request a run with some values changed."""
        self.changed_run_requested.emit(changes)

    def show_finding(self, finding: Finding) -> None:
        """Request the explanation of a finding."""
        self.finding_requested.emit(finding)
        self.part_requested.emit("doctor")

    def show_page(self, name: str) -> None:
        """Request a page of the guide."""
        self.part_requested.emit("guide")
        self.page_requested.emit(name)

    def show_part(self, name: str) -> None:
        """Request a dock or a central tab by its name."""
        self.part_requested.emit(name)

    def run_scene(self, scene: Scene) -> None:
        """Request a run of a scene."""
        self.scene_requested.emit(scene)

    def compare_with_scene(self, scene_id: str, path: Path | None = None) -> None:
        """Request a comparison of the run with a scene of the gallery, or with its trace."""
        self.comparison_requested.emit(scene_id, path)

    def check(self, order: int) -> None:
        """Request a check of the Jacobians of the function (1) or of its backward (2)."""
        self.check_requested.emit(order)

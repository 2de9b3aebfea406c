"""Shows the Training dock when the run contains training, and hides it otherwise."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.training_curves import is_training
from gradviz.viewer.state import ViewerState


class TrainingController(QObject):
    """Shows the dock as a tab behind the visible ones, never in front of them."""

    def __init__(
        self,
        state: ViewerState,
        dock: QDockWidget,
        neighbours: tuple[QDockWidget, ...],
        parent: QWidget,
    ) -> None:
        """Follow the runs of a window.

        Args:
            state: The window's state.
            dock: The panel's dock.
            neighbours: The docks it shares tabs with; if all of them are hidden, it stays hidden.
            parent: The window.
        """
        super().__init__(parent)
        self._dock = dock
        self._neighbours = neighbours
        self._wanted = False
        dock.toggleViewAction().triggered.connect(self._on_dock_toggled)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._on_state_trace_changed(state.index)

    @Slot(bool)
    def _on_dock_toggled(self, on: bool) -> None:
        """Keep the dock visible if the user opened it."""
        self._wanted = on

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        trained = index is not None and is_training(index)
        if not trained:
            if not self._wanted:
                self._dock.hide()
            return
        if self._dock.isHidden() and any(not each.isHidden() for each in self._neighbours):
            front = [each for each in self._neighbours if not each.visibleRegion().isEmpty()]
            self._dock.show()
            for each in front:
                each.raise_()

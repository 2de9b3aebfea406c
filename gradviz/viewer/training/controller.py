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
        self._before = neighbours[:1]
        dock.toggleViewAction().triggered.connect(self._on_dock_toggled)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._on_state_trace_changed(state.index)

    @Slot(bool)
    def _on_dock_toggled(self, on: bool) -> None:
        """Keep the dock visible if the user opened it."""
        # A tab behind others is not closed but comes to the front.
        self._wanted = on or not self._dock.isHidden()

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        trained = index is not None and is_training(index)
        if not trained:
            if not self._wanted and not self._dock.isHidden():
                # Qt would bring any of the others to the front.
                front = self._in_front() or self._before
                self._dock.hide()
                _raise(front)
            return
        if self._dock.isHidden() and any(not each.isHidden() for each in self._neighbours):
            self._before = self._in_front() or self._before
            self._dock.show()
            _raise(self._before)

    def _in_front(self) -> tuple[QDockWidget, ...]:
        return tuple(each for each in self._neighbours if not each.visibleRegion().isEmpty())


def _raise(docks: tuple[QDockWidget, ...]) -> None:
    for dock in docks:
        if not dock.isHidden():
            dock.raise_()

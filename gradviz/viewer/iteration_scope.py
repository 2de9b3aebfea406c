"""Which iteration of a training run the graph and the timeline show."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iteration_index import index_of_iteration
from gradviz.analysis.training.iterations import (
    Iteration,
    corresponding_step,
    iteration_at,
    iterations_of,
    nearest_iteration,
)
from gradviz.viewer.position_state import PositionState


class IterationScope(QObject):
    """The iterations of the trace, and the one that contains the current step.

    Attributes:
        shows_all: Whether the graph and the timeline show all iterations rather than the current
            one.

    Signals:
        changed: Another `Iteration` is shown alone, or all are shown; carries the current one.
    """

    changed = Signal(object)

    def __init__(self, state: PositionState) -> None:
        super().__init__(state)
        self._state = state
        self.shows_all = False
        self._graph: tuple[Iteration, TraceIndex] | None = None
        self.all: tuple[Iteration, ...] = ()
        self.current: Iteration | None = None
        # Before all panels, which read the iterations when the step changes.
        state.step_changed.connect(self._on_state_step_changed)

    @property
    def shown(self) -> Iteration | None:
        """The iteration that the graph and the timeline show alone; None if they show all."""
        return None if self.shows_all else self.current

    @property
    def graph_index(self) -> TraceIndex | None:
        """The index whose graph is shown: of the iteration shown alone, or of the trace."""
        index, shown = self._state.index, self.shown
        if index is None or shown is None:
            return index
        if self._graph is None or self._graph[0] is not shown:
            self._graph = shown, index_of_iteration(index, shown)
        return self._graph[1]

    def show_all(self, shows_all: bool) -> None:
        """Show all iterations, or only the current one."""
        if shows_all != self.shows_all:
            self.shows_all = shows_all
            self.changed.emit(self.current)

    def go_to(self, number: int) -> None:
        """Go to the iteration with the nearest number, to the place of the current step in it."""
        if self.current is not None:
            there = nearest_iteration(self.all, number)
            self._state.go_to(corresponding_step(self.current, self._state.number, there))

    def go_by(self, count: int) -> None:
        """Go a number of iterations on, or back if it is negative."""
        if self.current is not None:
            place = self.all.index(self.current) + count
            self.go_to(self.all[max(0, min(place, len(self.all) - 1))].number)

    def show_index(self, index: TraceIndex | None) -> None:
        """Find the iterations of another trace."""
        self.all = () if index is None else iterations_of(index)
        self.current = iteration_at(self.all, self._state.number)
        self._graph = None

    def _on_state_step_changed(self, number: int) -> None:
        current = iteration_at(self.all, number)
        if current is not self.current:
            self.current = current
            if not self.shows_all:
                self.changed.emit(current)

"""Keeps the plot of a training in sight in Presenter Mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradviz.analysis.training.training_curves import is_training
from gradviz.viewer.presenter.presenter_area import PresenterArea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.training.panel import TrainingPanel

if TYPE_CHECKING:
    from gradviz.viewer.window.main_window import MainWindow


class PresenterTraining(QObject):
    """Borrows the Training panel for runs that train, and puts it back into its dock."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._state, self._area = window.parts[ViewerState], window.parts[PresenterArea]
        self._shown = False
        self._state.presentation.presenting_changed.connect(self._show_if_wanted)
        self._state.trace_changed.connect(self._show_if_wanted)

    def _show_if_wanted(self) -> None:
        index = self._state.index
        presenting = self._state.presentation.presenting
        # In this order, since the second question takes long in a long run.
        wanted = presenting and index is not None and is_training(index)
        if wanted == self._shown:
            return
        self._shown = wanted
        panel = self._window.parts[TrainingPanel]
        panel.set_slim(wanted)
        if wanted:
            self._area.add_below_values(panel)
        else:
            self._window.docks["training"].setWidget(panel)

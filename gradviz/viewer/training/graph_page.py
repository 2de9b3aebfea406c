"""The page of two tabs: Graph, and Training, which has the curves above the graph."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from gradviz.viewer.theme.theme_update import theme_of
from gradviz.viewer.training.panel import TrainingPanel

_TRAINING = 0.45
"""Largest share of the values in the height, until the user drags the line between."""

_GRAPH = 540
"""Height that the graph gets before the curves get more than they need, at font scale 1."""


class GraphPage(QSplitter):
    """The graph, below the values of a training run while they are shown.

    Args:
        graph: The graph.
        training: The values over the iterations.
    """

    def __init__(self, graph: QWidget, training: TrainingPanel) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._training = training
        self.addWidget(training)
        self.addWidget(graph)
        self.setChildrenCollapsible(False)
        self._share: float | None = None
        self.splitterMoved.connect(self._on_self_moved)
        training.page_changed.connect(self._divide)
        training.hide()

    def show_training(self, shown: bool) -> None:
        """Show the values above the graph, or the graph alone."""
        self._training.setVisible(shown)
        self._divide()

    def _divide(self) -> None:
        """Divide the height as wanted; by itself, Qt would keep what earlier heights had."""
        if self._training.isVisibleTo(self):
            above = round(self._wanted_share * self.height())
            self.setSizes([above, self.height() - above])

    @property
    def _wanted_share(self) -> float:
        """Share of the values: that of the user, else what leaves a readable graph."""
        least = self._training.least_height
        if self._share is not None or not least or not self.height():
            return _TRAINING if self._share is None else self._share
        spare = self.height() - theme_of(self).px(_GRAPH)
        return min(_TRAINING, max(least, spare) / self.height())

    def _on_self_moved(self, position: int, number: int) -> None:
        self._share = position / self.height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the shares."""
        super().resizeEvent(event)
        self._divide()

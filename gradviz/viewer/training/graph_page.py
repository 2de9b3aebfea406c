"""The page of two tabs: Graph, and Training, which has the curves above the graph."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

_TRAINING = 0.45
"""Share of the values in the height, until the user drags the line between."""


class GraphPage(QSplitter):
    """The graph, below the values of a training run while they are shown.

    Args:
        graph: The graph.
        training: The values over the iterations.
    """

    def __init__(self, graph: QWidget, training: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._training = training
        self.addWidget(training)
        self.addWidget(graph)
        self.setChildrenCollapsible(False)
        self._share = _TRAINING
        self.splitterMoved.connect(self._on_self_moved)
        training.hide()

    def show_training(self, shown: bool) -> None:
        """Show the values above the graph, or the graph alone."""
        self._training.setVisible(shown)
        self._divide()

    def _divide(self) -> None:
        """Divide the height as wanted; by itself, Qt would keep what earlier heights had."""
        if self._training.isVisibleTo(self):
            above = round(self._share * self.height())
            self.setSizes([above, self.height() - above])

    def _on_self_moved(self, position: int, number: int) -> None:
        self._share = position / self.height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the shares."""
        super().resizeEvent(event)
        self._divide()

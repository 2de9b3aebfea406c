"""The page of two tabs: Graph, and Training, which has the curves above the graph."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget


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
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 1)
        training.hide()

    def show_training(self, shown: bool) -> None:
        """Show the values above the graph, or the graph alone."""
        self._training.setVisible(shown)

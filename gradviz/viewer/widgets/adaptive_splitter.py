"""A splitter that puts its parts above each other where they would be too narrow side by side."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

_LEAST_LINES = 38
"""Width side by side, at least, in heights of a line of text."""


class AdaptiveSplitter(QSplitter):
    """Two parts whose direction depends on the width.

    Args:
        parts: The left or upper part, and the right or lower one.
        across: Initial shares of the width.
        down: Initial shares of the height.
    """

    def __init__(
        self, parts: tuple[QWidget, QWidget], across: tuple[int, int], down: tuple[int, int]
    ) -> None:
        super().__init__()
        self._across, self._down = across, down
        for part in parts:
            self.addWidget(part)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)
        self.setSizes(list(across))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the direction."""
        narrow = self.width() < _LEAST_LINES * self.fontMetrics().height()
        wanted = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        if wanted != self.orientation():
            self.setOrientation(wanted)
            self.setSizes(list(self._down if narrow else self._across))
        super().resizeEvent(event)

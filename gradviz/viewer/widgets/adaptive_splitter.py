"""A splitter that puts its parts above each other where side by side would be too narrow."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

_LEAST_RATIO = 1.25
"""Least ratio of width to height side by side, below which both parts are high and narrow."""


class AdaptiveSplitter(QSplitter):
    """Two parts, side by side unless it is narrow or high.

    Args:
        parts: The left or upper part, and the right or lower one.
        across: Initial shares of the width.
        down: Initial shares of the height.
        lines: Width side by side, at least, in heights of a line of text.
    """

    def __init__(
        self,
        parts: tuple[QWidget, QWidget],
        across: tuple[int, int],
        down: tuple[int, int],
        lines: int = 38,
    ) -> None:
        super().__init__()
        self._across, self._down, self._lines = across, down, lines
        for part in parts:
            self.addWidget(part)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)
        self.setSizes(list(across))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the direction."""
        least = max(self._lines * self.fontMetrics().height(), _LEAST_RATIO * self.height())
        narrow = self.width() < least
        wanted = Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        if wanted != self.orientation():
            self.setOrientation(wanted)
            self.setSizes(list(self._down if narrow else self._across))
        super().resizeEvent(event)

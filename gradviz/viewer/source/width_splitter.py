"""A splitter that shares its width among source columns."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QSplitter, QWidget

from gradviz.viewer.theme.theme import sheet_color


class WidthSplitter(QSplitter):
    """Sets the widths of its parts until the user moves a handle.

    Args:
        halves: The source columns.
    """

    def __init__(self, halves: Sequence[QWidget]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._halves = tuple(halves)
        self._moved = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        for half in halves:
            self.addWidget(half)
        self.setStyleSheet(f"QSplitter::handle {{ background: {sheet_color('border')}; }}")
        self.splitterMoved.connect(self._on_handle_moved)

    def share(self) -> None:
        """Distribute the width among the visible columns, unless the user has moved a handle."""
        if not self._moved:
            self.setSizes([int(not half.isHidden()) * self.width() for half in self._halves])

    @Slot(int, int)
    def _on_handle_moved(self, position: int, handle: int) -> None:
        self._moved = True

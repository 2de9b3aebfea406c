"""A splitter that shares its width among source columns and variables."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QSplitter, QWidget

from gradviz.viewer.theme.theme import Theme

_SHARE, _MOST_SHARE = 0.25, 0.36
"""Share of the width for the variables, and the maximum to which large text may raise it."""

_LEAST, _MOST = 200, 320
"""Bounds of their width, before the theme's scale factor."""


class WidthSplitter(QSplitter):
    """Sets the widths of its parts until the user moves a handle.

    Args:
        halves: The source columns.
        side: The variables.
    """

    def __init__(self, halves: Sequence[QWidget], side: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._halves, self._side = tuple(halves), side
        self._moved = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        for part in (*halves, side):
            self.addWidget(part)
        self.splitterMoved.connect(self._on_handle_moved)

    def share(self, theme: Theme) -> None:
        """Distribute the width among the visible parts, unless the user has moved a handle."""
        if self._moved:
            return
        side = min(max(round(self.width() * _SHARE), theme.px(_LEAST)), theme.px(_MOST))
        side = 0 if self._side.isHidden() else min(side, round(self.width() * _MOST_SHARE))
        seen = [not half.isHidden() for half in self._halves]
        each = (self.width() - side) // max(1, sum(seen))
        self.setSizes([*(each if half else 0 for half in seen), side])

    def set_theme(self, theme: Theme) -> None:
        """Paint the handles with another theme."""
        border = theme.color("border").name()
        self.setStyleSheet(f"QSplitter::handle {{ background: {border}; }}")

    @Slot(int, int)
    def _on_handle_moved(self, position: int, handle: int) -> None:
        self._moved = True

"""Texts and variables side by side, each with its share of the width."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QSplitter, QWidget

from gradviz.viewer.look.theme import Theme

_SHARE, _MOST_SHARE = 0.25, 0.36
"""Share of the width that goes to the variables, and up to which a large type may raise it."""

_LEAST, _MOST = 200, 320
"""Bounds of their width, before the theme's factor."""


class Shares(QSplitter):
    """What is between the parts can be moved; from then on the shares are the user's.

    Args:
        halves: The texts.
        beside: The variables.
    """

    def __init__(self, halves: Sequence[QWidget], beside: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._halves, self._beside = tuple(halves), beside
        self._moved = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        for part in (*halves, beside):
            self.addWidget(part)
        self.splitterMoved.connect(self._on_handle_moved)

    def share(self, theme: Theme) -> None:
        """Gives each visible part its width, unless somebody has moved what is between them."""
        if self._moved:
            return
        beside = min(max(round(self.width() * _SHARE), theme.px(_LEAST)), theme.px(_MOST))
        beside = 0 if self._beside.isHidden() else min(beside, round(self.width() * _MOST_SHARE))
        seen = [not half.isHidden() for half in self._halves]
        each = (self.width() - beside) // max(1, sum(seen))
        self.setSizes([*(each if half else 0 for half in seen), beside])

    def set_theme(self, theme: Theme) -> None:
        """Paints the lines between the parts with another theme."""
        border = theme.colour("border").name()
        self.setStyleSheet(f"QSplitter::handle {{ background: {border}; }}")

    @Slot(int, int)
    def _on_handle_moved(self, position: int, handle: int) -> None:
        self._moved = True

"""The few real items above the layers: what is hovered, selected, and happening now."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem

from gradviz.viewer.canvas.card_paint import CORNER
from gradviz.viewer.theme import Theme

Mark = Literal["hovered", "selected", "now"]
_OUTSIDE: dict[Mark, float] = {"hovered": 3.0, "selected": 5.0, "now": 7.0}


class Outline(QGraphicsPathItem):
    """A line around one card: thin for hovered, solid for selected, a broad halo for now."""

    def __init__(self, mark: Mark, theme: Theme) -> None:
        super().__init__()
        self._mark = mark
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.set_theme(theme)
        self.hide()

    def set_theme(self, theme: Theme, *, failing: bool = False) -> None:
        """Draws with another theme; what fails now has another colour than what happens now."""
        self.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        if self._mark == "hovered":
            self.setPen(QPen(theme.colour("border_strong"), 1.4))
        elif self._mark == "selected":
            self.setPen(QPen(theme.colour("focus"), 2.6))
        else:
            halo = QColor(theme.colour("error" if failing else "status_now"))
            halo.setAlphaF(0.32)
            self.setPen(QPen(halo, 7.0))

    def surround(self, box: QRectF | None, *, pill: bool = False) -> None:
        """Moves around a box, one with round ends for a pill; or hides."""
        if box is None:
            self.hide()
            return
        out = _OUTSIDE[self._mark]
        path = QPainterPath()
        radius = (box.height() / 2 if pill else CORNER) + out
        path.addRoundedRect(box.adjusted(-out, -out, out, out), radius, radius)
        self.setPath(path)
        self.show()

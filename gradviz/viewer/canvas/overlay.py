"""The few real items around cards: what is hovered, selected, and happening now."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.face import Shape
from gradviz.viewer.canvas.layer import Layer
from gradviz.viewer.canvas.outline import around
from gradviz.viewer.theme import Theme

Mark = Literal["hovered", "selected", "now"]

OUTSIDE: dict[Mark, float] = {"hovered": 2.6, "selected": 8.0, "now": 4.6}
"""Between a card's border and the line around it, in units of the scene."""

HALO = 10.0
"""How far the halo of what happens now reaches."""

_LEAST_HALO = 7.0
"""The same in pixels, where the whole graph is small: the current step is never in doubt."""

_REACH = 800.0
"""Far out, the halo may be so many units of the scene wide."""


class Outline(QGraphicsItem):
    """A line around one card: thin for hovered, solid for selected, a ring and a halo for now."""

    def __init__(self, mark: Mark, theme: Theme) -> None:
        super().__init__()
        self._mark = mark
        self._box = QRectF()
        self._shape: Shape = "rounded"
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.set_theme(theme)
        self.hide()

    def set_theme(self, theme: Theme, *, failing: bool = False) -> None:
        """Draws with another theme; what fails now has another colour than what happens now."""
        if self._mark == "hovered":
            self._pen = QPen(theme.colour("border_strong"), 1.4)
        elif self._mark == "selected":
            self._pen = QPen(theme.colour("focus"), 2.2)
        else:
            self._pen = QPen(theme.colour("error" if failing else "status_now"), 2.2)
        halo = QColor(self._pen.color())
        halo.setAlphaF(0.2)
        self._halo = QBrush(halo)
        self.update()

    @property
    def box(self) -> QRectF:
        """The card that it surrounds; empty while it is hidden."""
        return QRectF(self._box) if self.isVisible() else QRectF()

    def surround(self, box: QRectF | None, shape: Shape = "rounded") -> None:
        """Moves around a box of a shape, or hides."""
        self.setVisible(box is not None)
        if box is not None:
            self.prepareGeometryChange()
            self._box, self._shape = QRectF(box), shape
            self.update()

    def boundingRect(self) -> QRectF:
        """The card with everything around it, also where the whole graph is small."""
        return self._box.adjusted(-_REACH, -_REACH, _REACH, _REACH)

    def shape(self) -> QPainterPath:
        """Empty: it is never hit."""
        return QPainterPath()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws it."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = Layer.scale_of(painter)
        # Seen from afar, lines keep a width that can be seen.
        grown = max(1.0, _LEAST_HALO / HALO / scale)
        if self._mark == "now":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._halo)
            painter.drawPath(around(self._shape, self._box, HALO * grown))
        pen = QPen(self._pen)
        pen.setWidthF(pen.widthF() * grown)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(around(self._shape, self._box, OUTSIDE[self._mark] * grown))

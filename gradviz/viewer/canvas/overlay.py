"""The few real items around cards: what is hovered, selected, and happening now."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.face import Shape
from gradviz.viewer.canvas.layer import Layer
from gradviz.viewer.canvas.outline import around
from gradviz.viewer.look.theme import Theme

Mark = Literal["hovered", "selected", "now"]

OUTSIDE: dict[Mark, float] = {"hovered": 2.6, "selected": 8.0, "now": 4.6}
"""Between a card's border and the line around it, in units of the scene."""

HALO = 10.0
"""How far the halo of what happens now reaches."""

_LEAST_HALO = 7.0
"""The same in pixels, where the whole graph is small: the current step is never in doubt."""

_HALO_ALPHA = 0.2
_REACH = 800.0
"""Far out, the halo may be so many units of the scene wide."""


def pen_of(theme: Theme, mark: Mark, *, failing: bool = False) -> QPen:
    """The pen of a line around a card; what fails now has another colour than what happens now."""
    if mark == "hovered":
        return QPen(theme.colour("border_strong"), 1.4)
    if mark == "selected":
        return QPen(theme.colour("focus"), 2.2)
    return QPen(theme.colour("error" if failing else "status_now"), 2.2)


def paint_outline(
    painter: QPainter, mark: Mark, pen: QPen, shape: Shape, box: QRectF, grown: float = 1.0
) -> None:
    """Paints a line around a card, and a halo around that for what happens now.

    Args:
        painter: Antialiased.
        mark: What the line says.
        pen: From `pen_of`.
        shape: Of the card.
        box: The card.
        grown: Factor on widths and distances, for where all is small.
    """
    if mark == "now":
        halo = QColor(pen.color())
        halo.setAlphaF(_HALO_ALPHA)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(halo)
        painter.drawPath(around(shape, box, HALO * grown))
    line = QPen(pen)
    line.setWidthF(pen.widthF() * grown)
    painter.setPen(line)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(around(shape, box, OUTSIDE[mark] * grown))


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
        self._pen = pen_of(theme, self._mark, failing=failing)
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
        # Seen from afar, lines keep a width that can be seen.
        grown = max(1.0, _LEAST_HALO / HALO / Layer.scale_of(painter))
        paint_outline(painter, self._mark, self._pen, self._shape, self._box, grown)

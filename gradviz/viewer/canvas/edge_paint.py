"""How lines look: width, dashes, colour and arrow head say how far a gradient has got."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from gradviz.model.palette import Role
from gradviz.viewer.canvas.card_paint import faded_sign
from gradviz.viewer.canvas.curves import Head, arrow_head, dashes_of, path_of, without_head
from gradviz.viewer.canvas.picture import Floats
from gradviz.viewer.canvas.progress import DONE, NOW, TO_COME, UNTOUCHED
from gradviz.viewer.look.theme import Theme

LINK = 4
"""The state of a line along which no gradient flows: it leads to what a node saved or made."""

CUT = 5
"""The state of a way that a gradient would have to go, and cannot."""

_CROSSED = 0.62
"""How far along a line its cross stands: clear of the title of a frame that the line leaves."""

_SOLID = Qt.PenStyle.SolidLine

GLOW, GLOW_ALPHA = 10.0, 0.22
"""Width and opacity of the broad line below one that carries a gradient now, or is selected."""

_PALE_WIDTH = 1.5


@dataclass(frozen=True, slots=True)
class Stroke:
    """How a line of one state is drawn, in units of the scene.

    Attributes:
        role: Its colour.
        width: Of the line.
        head: Its arrow head; None for none.
        dashes: Lengths of dash and gap; None for a whole line.
        cross: Half the side of a cross over its middle; 0 for none.
    """

    role: Role
    width: float
    head: Head | None
    dashes: tuple[float, float] | None = None
    cross: float = 0.0


STROKES: dict[int, Stroke] = {
    LINK: Stroke("edge_link", 1.4, None, (1.4, 3.0)),
    CUT: Stroke("failing_border", 2.0, None, (5.5, 4.0), 6.0),
    UNTOUCHED: Stroke("edge_to_come", 1.3, Head(8.0, 3.2), (1.4, 3.0)),
    TO_COME: Stroke("edge_to_come", 1.4, Head(8.5, 3.4), (5.5, 3.5)),
    DONE: Stroke("edge_done", 2.2, Head(10.5, 4.4)),
    NOW: Stroke("edge_now", 3.4, Head(13.5, 6.0)),
}
"""In order of painting: dotted where nothing flows, dashed to come, broad now."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """One line, ready to be painted in one state.

    Attributes:
        path: The whole line up to its head.
        dashes: The same as dashes, with a cross where it has one; empty for a whole line.
        head: None for none.
    """

    path: QPainterPath
    dashes: list[QLineF]
    head: QPolygonF | None


def drawn_line(points: Floats, state: int) -> DrawnLine:
    """Prepares a curve whose end is where the tip is to be."""
    stroke = STROKES[state]
    body = points if stroke.head is None else without_head(points, stroke.head)
    dashes = [] if stroke.dashes is None else dashes_of(body, *stroke.dashes)
    path = path_of(body)
    return DrawnLine(
        path=path,
        dashes=[*dashes, *(cross_at(path.pointAtPercent(_CROSSED), stroke.cross))],
        head=None if stroke.head is None else arrow_head(points, stroke.head),
    )


def cross_at(middle: QPointF, half: float) -> list[QLineF]:
    """Two strokes across a point; none without a size."""
    corner, other = QPointF(half, half), QPointF(half, -half)
    strokes = [QLineF(middle - each, middle + each) for each in (corner, other)]
    return strokes if half else []


class EdgePaint:
    """Pens of one theme."""

    def __init__(self, theme: Theme, *, dimmed: bool = False) -> None:
        self._pens: dict[int, QPen] = {}
        for state, stroke in STROKES.items():
            ink, width = theme.colour(stroke.role), stroke.width
            if dimmed:
                ink, width = faded_sign(theme, ink), min(width, _PALE_WIDTH)
            self._pens[state] = QPen(ink, width, _SOLID, Qt.PenCapStyle.FlatCap)
        self._glow = _glow(theme, "edge_now")
        self._lit = _glow(theme, "focus")

    def far_pen(self, state: int) -> QPen:
        """A pen of whole pixels, for where heads and dashes are too small to be seen."""
        return QPen(self._pens[state].color(), 2 if state == NOW else 0)

    def light(self, painter: QPainter, lines: list[DrawnLine]) -> None:
        """Paints the ground of lines that belong to what is selected."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._lit)
        for line in lines:
            painter.drawPath(line.path)

    def lines(
        self,
        painter: QPainter,
        state: int,
        lines: list[DrawnLine],
        pieces: list[QLineF],
        *,
        dashed: bool = True,
    ) -> None:
        """Paints lines of one state, without their heads.

        Args:
            painter: Antialiased.
            state: Of all of them.
            lines: What is painted.
            pieces: Of very long lines those straight pieces that are in sight.
            dashed: Whether dashes are large enough to be seen.
        """
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (self._glow, self._pens[state]) if state == NOW else (self._pens[state],):
            painter.setPen(pen)
            dashes = [dash for line in lines for dash in line.dashes] if dashed else []
            if dashes or pieces:
                painter.drawLines([*dashes, *pieces])
            for line in lines:
                if not (dashed and line.dashes):
                    painter.drawPath(line.path)

    def heads(self, painter: QPainter, state: int, lines: list[DrawnLine]) -> None:
        """Paints the arrow heads of lines of one state."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._pens[state].color())
        for line in lines:
            if line.head is not None:
                painter.drawPolygon(line.head)


def _glow(theme: Theme, role: Role) -> QPen:
    colour = theme.colour(role)
    colour.setAlphaF(GLOW_ALPHA)
    return QPen(colour, GLOW, _SOLID, Qt.PenCapStyle.RoundCap)

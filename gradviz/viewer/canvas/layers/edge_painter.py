"""Line styles: width, dashes, color and arrow head show how far a gradient has come."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.content.graph_progress import DONE, NOW, TO_COME, UNTOUCHED
from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.layers.card_painter import faded_symbol
from gradviz.viewer.canvas.layers.curve_paths import (
    ArrowHead,
    arrow_head,
    dashes_of,
    path_of,
    without_head,
)
from gradviz.viewer.theme.theme import Theme

LINK = 4
"""State of a line to a tensor that a node saved or made; no gradient flows along it."""

CUT = 5
"""State of a path that a gradient would need but cannot take."""

_CROSSED = 0.62
"""Position of the cross along a line, clear of the title of a frame that the line leaves."""

_SOLID = Qt.PenStyle.SolidLine

GLOW, GLOW_ALPHA = 10.0, 0.22
"""Width and opacity of the glow below a line that is current or selected."""

_PALE_WIDTH = 1.5


@dataclass(frozen=True, slots=True)
class LineStyle:
    """Style of a line in one state, in scene units.

    Attributes:
        role: Color.
        width: Width of the line.
        head: Arrow head, or None.
        dashes: Dash and gap length; None for a solid line.
        cross: Half the side of the cross on the line; 0 for no cross.
    """

    role: PaletteRole
    width: float
    head: ArrowHead | None
    dashes: tuple[float, float] | None = None
    cross: float = 0.0


STROKES: dict[int, LineStyle] = {
    LINK: LineStyle("edge_link", 1.4, None, (1.4, 3.0)),
    CUT: LineStyle("failing_border", 2.0, None, (5.5, 4.0), 6.0),
    UNTOUCHED: LineStyle("edge_to_come", 1.3, ArrowHead(8.0, 3.2), (1.4, 3.0)),
    TO_COME: LineStyle("edge_to_come", 1.4, ArrowHead(8.5, 3.4), (5.5, 3.5)),
    DONE: LineStyle("edge_done", 2.2, ArrowHead(10.5, 4.4)),
    NOW: LineStyle("edge_now", 3.4, ArrowHead(13.5, 6.0)),
}
"""In painting order: dotted if no gradient flows, dashed if pending, bold if current."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """One line prepared for painting in one state.

    Attributes:
        path: The whole line up to its head.
        dashes: The line as dashes, including its cross; empty for a solid line.
        head: Arrow head, or None.
    """

    path: QPainterPath
    dashes: list[QLineF]
    head: QPolygonF | None


def drawn_line(points: FloatArray, state: int) -> DrawnLine:
    """Prepare a curve whose last point is the tip of its arrow."""
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
    """Two crossing strokes around a point; empty if ``half`` is 0."""
    corner, other = QPointF(half, half), QPointF(half, -half)
    strokes = [QLineF(middle - each, middle + each) for each in (corner, other)]
    return strokes if half else []


class EdgePainter:
    """Pens of one theme."""

    def __init__(self, theme: Theme, *, dimmed: bool = False) -> None:
        self._pens: dict[int, QPen] = {}
        for state, stroke in STROKES.items():
            ink, width = theme.color(stroke.role), stroke.width
            if dimmed:
                ink, width = faded_symbol(theme, ink), min(width, _PALE_WIDTH)
            # Other caps would fill short gaps between dashes and reach into the arrow head.
            self._pens[state] = QPen(ink, width, _SOLID, Qt.PenCapStyle.FlatCap)
        self._glow = _glow(theme, "edge_now")
        self._lit = _glow(theme, "focus")

    def far_pen(self, state: int) -> QPen:
        """Pen for zoomed-out views, in which heads and dashes are too small to see."""
        # Qt draws a pen of width 0 one pixel wide at any scale.
        return QPen(self._pens[state].color(), 2 if state == NOW else 0)

    def paint_glow(self, painter: QPainter, lines: list[DrawnLine]) -> None:
        """Paint the glow of lines that belong to the selection."""
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
        """Paint lines of one state, without their arrow heads.

        Args:
            painter: Antialiased.
            state: Their common state.
            lines: Lines to paint.
            pieces: Visible straight pieces of very long lines.
            dashed: Whether dashes are large enough to see.
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
        """Paint the arrow heads of lines of one state."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._pens[state].color())
        for line in lines:
            if line.head is not None:
                painter.drawPolygon(line.head)


def _glow(theme: Theme, role: PaletteRole) -> QPen:
    color = theme.color(role)
    color.setAlphaF(GLOW_ALPHA)
    return QPen(color, GLOW, _SOLID, Qt.PenCapStyle.RoundCap)

"""Paints lines with Qt: all of one state together, with dashes that are split in advance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.content.graph_progress import NOW
from gradviz.drawing.display.curves import dashes_of
from gradviz.drawing.display.edges import GLOW_OPACITY, GLOW_WIDTH, STROKES, edge_shapes, line_body
from gradviz.drawing.display.parts import Outline
from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.layers.part_painter import PartPainter, qt_path
from gradviz.viewer.theme.theme import Theme

_PALE_WIDTH = 1.5


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
    head: QPainterPath | None


def drawn_line(points: FloatArray, state: int) -> DrawnLine:
    """Prepare a curve whose last point is the tip of its arrow."""
    # Glows are painted for all lines at once.
    line, *others = (each for each in edge_shapes(points, state) if each.opacity == 1)
    dash = STROKES[state].pen.dash
    dashes = [] if dash is None else dashes_of(line_body(points, state), *dash)
    cross = [each.outline for each in others if each.pen is not None]
    heads = [qt_path(each.outline) for each in others if each.pen is None]
    return DrawnLine(
        path=qt_path(line.outline),
        dashes=[*(QLineF(*a, *b) for a, b in dashes), *_lines(cross)],
        head=heads[0] if heads else None,
    )


def _lines(outlines: Iterable[object]) -> Iterable[QLineF]:
    """Outlines of two points as lines."""
    for each in outlines:
        assert isinstance(each, Outline)
        (_, (start,)), (_, (end,)) = each.commands
        yield QLineF(QPointF(*start), QPointF(*end))


class EdgePainter:
    """Pens of one theme."""

    def __init__(self, theme: Theme, *, dimmed: bool = False) -> None:
        colors = PartPainter(theme, dimmed=dimmed)
        self._pens: dict[int, QPen] = {}
        for state, style in STROKES.items():
            width = min(style.pen.width, _PALE_WIDTH) if dimmed else style.pen.width
            # Dashes are split in advance.
            self._pens[state] = colors.pen(replace(style.pen, width=width, dash=None))
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
                painter.drawPath(line.head)


def _glow(theme: Theme, role: PaletteRole) -> QPen:
    color = theme.color(role)
    color.setAlphaF(GLOW_OPACITY)
    return QPen(color, GLOW_WIDTH, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)

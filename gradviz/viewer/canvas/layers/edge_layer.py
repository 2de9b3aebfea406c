"""All curves of the graph; those that have carried a gradient stand out."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.content.graph_progress import NOW, UNTOUCHED
from gradviz.drawing.display.curves import ARROW, ArrowHead, dashes_of, sampled, without_head
from gradviz.drawing.display.edges import (
    FIXED,
    GLOW_OPACITY,
    GLOW_WIDTH,
    LINK,
    STROKES,
    edge_shapes,
    extended_to,
    line_body,
)
from gradviz.drawing.display.parts import Outline
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer, LayerContext
from gradviz.viewer.canvas.layers.part_painter import PartPainter, qt_path
from gradviz.viewer.canvas.layout.graph_picture import GraphCurve, bounding_boxes
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
    """Pens of one theme; paints all lines of one state together, with dashes split in advance."""

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


LONG = 1500.0
"""Distance of the ends of a curve from which it is long, in scene units."""

PIECES = 48
"""Number of straight pieces for each cubic segment of a long curve."""

_HEAD = ArrowHead(ARROW, 0.0)
"""Space kept for any arrow head; the head covers a gap of a few units."""


class LongEdges:
    """Straight pieces of the curves that are longer than a screen; only visible ones are painted.

    To stroke all of such a curve takes many times longer.
    """

    def __init__(self, curves: tuple[GraphCurve, ...]) -> None:
        ends = [(at, curve.points[-1] - curve.points[0]) for at, curve in enumerate(curves)]
        self.curves = [at for at, way in ends if np.hypot(*way) > LONG]
        points = [sampled(without_head(curves[at].points, _HEAD), PIECES) for at in self.curves]
        self._owners = [at for at, each in zip(self.curves, points, strict=True) for _ in each[1:]]
        self._lines = [
            QLineF(*a, *b) for each in points for a, b in itertools.pairwise(each.tolist())
        ]
        pairs = [np.stack([each[:-1], each[1:]], axis=1) for each in points]
        pieces = np.concatenate([np.zeros((0, 2, 2)), *pairs])
        self._low, self._high = pieces.min(axis=1) - ARROW, pieces.max(axis=1) + ARROW

    def in_sight(self, area: QRectF) -> dict[int, list[QLineF]]:
        """The pieces that touch a rectangle, by index of their curve."""
        below, above = (area.right(), area.bottom()), (area.left(), area.top())
        touch = (self._low <= below) & (self._high >= above)
        found: dict[int, list[QLineF]] = defaultdict(list)
        for at in np.flatnonzero(touch.all(axis=1)).tolist():
            found[self._owners[at]].append(self._lines[at])
        return found


DASHES_FROM = 0.5
"""Below this scale dashes are too small to see, so lines are drawn solid."""

_ORDER = {state: place for place, state in enumerate(STROKES)}


class EdgeLayer(GraphLayer):
    """Draws the curves of a picture."""

    def __init__(self, context: LayerContext) -> None:
        curves = context.picture.curves
        # Lines are extended to the outline of their target, beyond their control points.
        super().__init__(context, bounding_boxes(curves), 2 * ARROW)
        self._curves = curves
        self._fixed = [FIXED.get(curve.edge.kind) for curve in curves]
        self._states = [UNTOUCHED if each is None else each for each in self._fixed]
        self._highlighted: frozenset[int] = frozenset()
        self._drawn: dict[tuple[int, int], DrawnLine] = {}
        self._far: list[tuple[bool, int, list[QLineF]]] | None = None
        self._long = LongEdges(curves)
        self._paints: dict[tuple[str, bool], EdgePainter] = {}

    def set_states(self, states: list[int]) -> None:
        """Set which curves have carried a gradient."""
        pairs = zip(states, self._fixed, strict=True)
        self._states = [state if fixed is None else fixed for state, fixed in pairs]
        self._far = None
        self._context.update()

    def state(self, at: int) -> int:
        """Progress state of a curve."""
        return self._states[at]

    def set_dimmed(self, dimmed: list[bool], highlighted: frozenset[int] = frozenset()) -> None:
        """Dim some curves, and highlight others with a glow."""
        self._highlighted = highlighted
        self._far = None
        super().set_dimmed(dimmed)

    def set_absent(self, absent: frozenset[int]) -> None:
        """Leave out some curves."""
        self._far = None
        super().set_absent(absent)

    def _paint_of(self, *, dimmed: bool) -> EdgePainter:
        theme = self._context.theme
        look = (theme.name, dimmed)
        if look not in self._paints:
            self._paints[look] = EdgePainter(theme, dimmed=dimmed)
        return self._paints[look]

    def line(self, at: int, state: int) -> DrawnLine:
        """Return a curve as it is painted in a state."""
        if (at, state) not in self._drawn:
            self._drawn[at, state] = drawn_line(self.points(at), state)
        return self._drawn[at, state]

    def points(self, at: int) -> FloatArray:
        """Control points of a curve, extended to the outline of its target."""
        curve, picture = self._curves[at], self._context.picture
        # A link has no arrow head that must touch the border.
        if self._fixed[at] == LINK:
            return curve.points
        x, y, width, height = picture.boxes[curve.target].tolist()
        box = Rect(x=x, y=y, width=width, height=height)
        return extended_to(SHAPES[picture.nodes[curve.target].kind], box, curve.points)

    def _grouped(self, members: Iterable[int]) -> list[tuple[bool, int, list[int]]]:
        groups: dict[tuple[bool, int], list[int]] = defaultdict(list)
        for at in members:
            groups[self.is_dimmed(at), self._states[at]].append(at)
        # Fixed order: curves that have carried a gradient are painted on top.
        ordered = sorted(groups.items(), key=lambda each: (not each[0][0], _ORDER[each[0][1]]))
        return [(pale, state, group) for (pale, state), group in ordered]

    def _paint_far(self, painter: QPainter) -> None:
        if self._far is None:
            shown = (at for at in range(len(self._curves)) if at not in self._absent)
            self._far = [
                (pale, state, [line for at in group for line in _segments(self._curves[at])])
                for pale, state, group in self._grouped(shown)
            ]
        # Faster with thousands of lines, and at this scale smooth edges cannot be seen.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for pale, state, lines in self._far:
            painter.setPen(self._paint_of(dimmed=pale).far_pen(state))
            painter.drawLines(lines)

    def _paint_near(self, painter: QPainter, exposed: QRectF) -> None:
        # The bounding box of a long diagonal covers much of the graph, so its pieces are tested.
        long = self._long.in_sight(exposed)
        seen = set(self.seen(exposed)) - set(self._long.curves) | (long.keys() - self._absent)
        dashed = self.scale_of(painter) >= DASHES_FROM
        highlighted = sorted(self._highlighted & seen)
        if highlighted:
            shown = [self.line(at, self._states[at]) for at in highlighted]
            self._paint_of(dimmed=False).paint_glow(painter, shown)
        for pale, state, group in self._grouped(sorted(seen)):
            pieces = [piece for at in group for piece in long.get(at, ())]
            short = [self.line(at, state) for at in group if at not in long]
            paint = self._paint_of(dimmed=pale)
            paint.lines(painter, state, short, pieces, dashed=dashed)
            paint.heads(painter, state, [self.line(at, state) for at in group])

    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the visible curves."""
        if self.scale_of(painter) < TEXT_FROM:
            self._paint_far(painter)
        else:
            self._paint_near(painter, exposed)


def _segments(curve: GraphCurve) -> Iterable[QLineF]:
    """Straight lines between the ends of a curve's segments, for zoomed-out views."""
    return (QLineF(*a, *b) for a, b in itertools.pairwise(curve.points[::3].tolist()))

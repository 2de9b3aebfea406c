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
from gradviz.viewer.canvas.layers.part_painter import qt_path
from gradviz.viewer.canvas.layout.graph_picture import GraphCurve, bounding_boxes

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

    def _pen(self, state: int, *, dimmed: bool) -> QPen:
        """The pen of a state, without dashes, which are split in advance."""
        pen = STROKES[state].pen
        width = min(pen.width, _PALE_WIDTH) if dimmed else pen.width
        return self._context.colors(dimmed=dimmed).pen(replace(pen, width=width, dash=None))

    def _glow(self, role: PaletteRole) -> QPen:
        color = self._context.theme.color(role)
        color.setAlphaF(GLOW_OPACITY)
        return QPen(color, GLOW_WIDTH, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)

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
            # Heads and dashes are too small to see, and a pen of width 0 is a pixel wide.
            pen = self._pen(state, dimmed=pale)
            painter.setPen(QPen(pen.color(), 2 if state == NOW else 0))
            painter.drawLines(lines)

    def _paint_near(self, painter: QPainter, exposed: QRectF) -> None:
        # The bounding box of a long diagonal covers much of the graph, so its pieces are tested.
        long = self._long.in_sight(exposed)
        seen = set(self.seen(exposed)) - set(self._long.curves) | (long.keys() - self._absent)
        dashed = self.scale_of(painter) >= DASHES_FROM
        painter.setPen(self._glow("focus"))
        for at in sorted(self._highlighted & seen):
            painter.drawPath(self.line(at, self._states[at]).path)
        for pale, state, group in self._grouped(sorted(seen)):
            lines = {at: self.line(at, state) for at in group}
            pen, short = self._pen(state, dimmed=pale), [at for at in group if at not in long]
            pieces = [piece for at in group for piece in long.get(at, ())]
            pieces += [dash for at in short for dash in lines[at].dashes] if dashed else []
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for each in (self._glow("edge_now"), pen) if state == NOW else (pen,):
                painter.setPen(each)
                painter.drawLines(pieces)
                for at in short:
                    if not (dashed and lines[at].dashes):
                        painter.drawPath(lines[at].path)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(pen.color())
            for line in lines.values():
                if line.head is not None:
                    painter.drawPath(line.head)

    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the visible curves."""
        if self.scale_of(painter) < TEXT_FROM:
            self._paint_far(painter)
        else:
            self._paint_near(painter, exposed)


def _segments(curve: GraphCurve) -> Iterable[QLineF]:
    """Straight lines between the ends of a curve's segments, for zoomed-out views."""
    return (QLineF(*a, *b) for a, b in itertools.pairwise(curve.points[::3].tolist()))

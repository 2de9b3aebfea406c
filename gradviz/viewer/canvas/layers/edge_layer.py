"""All curves of the graph as one item; those that have carried a gradient stand out."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

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
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layers.part_painter import PartPainter, qt_path
from gradviz.viewer.canvas.layout.graph_picture import GraphCurve, GraphPicture, bounding_boxes
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
PIECES = 48
"""Number of straight pieces for each cubic segment of a long curve."""

_HEAD = ArrowHead(ARROW, 0.0)
"""Space kept for any arrow head; the head covers a gap of a few units."""


@dataclass(frozen=True, slots=True)
class _Pieces:
    """A curve as straight lines, with the bounding box of each."""

    low: FloatArray
    high: FloatArray
    lines: list[QLineF]


class LongEdges:
    """Chords of the curves: the straight lines from their starts to their ends."""

    def __init__(self, curves: tuple[GraphCurve, ...]) -> None:
        starts = np.array([curve.points[0] for curve in curves]).reshape(-1, 2)
        along = np.array([curve.points[-1] for curve in curves]).reshape(-1, 2) - starts
        lengths = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
        self._normals = np.stack([-along[:, 1], along[:, 0]], axis=1) / lengths[:, None]
        self._offsets = np.sum(self._normals * starts, axis=1)
        # A curve stays within the hull of its control points, so it is no farther from the chord.
        self._widths = np.array(
            [
                np.abs(curve.points @ normal - offset).max() + ARROW
                for curve, normal, offset in zip(curves, self._normals, self._offsets, strict=True)
            ]
        )

        self._lengths = lengths
        self._curves = curves
        self._pieces: dict[int, _Pieces] = {}

    def is_long(self, at: int) -> bool:
        """Whether a curve is longer than a screen, so that stroking all of it is wasteful."""
        return bool(self._lengths[at] > LONG)

    def pieces_in_sight(
        self, curves: list[int], visible: tuple[float, float, float, float]
    ) -> list[QLineF]:
        """Straight pieces of long curves that touch a rectangle."""
        if not curves:
            return []
        left, top, right, bottom = visible
        pieces = [self._pieces_of(at) for at in curves]
        low = np.concatenate([each.low for each in pieces])
        high = np.concatenate([each.high for each in pieces])
        touch = (low <= (right + ARROW, bottom + ARROW)) & (high >= (left - ARROW, top - ARROW))
        lines = list(itertools.chain.from_iterable(each.lines for each in pieces))
        return [lines[at] for at in np.flatnonzero(touch.all(axis=1)).tolist()]

    def _pieces_of(self, at: int) -> _Pieces:
        if at not in self._pieces:
            points = sampled(without_head(self._curves[at].points, _HEAD), PIECES)
            self._pieces[at] = _Pieces(
                low=np.minimum(points[:-1], points[1:]),
                high=np.maximum(points[:-1], points[1:]),
                lines=[QLineF(*a, *b) for a, b in itertools.pairwise(points.tolist())],
            )
        return self._pieces[at]

    def crossing(self, among: list[int], visible: tuple[float, float, float, float]) -> list[int]:
        """Curves that may cross a rectangle: it is not entirely on one side of their chord.

        Args:
            among: Indices of curves.
            visible: Left, top, right, bottom.
        """
        if not among:
            return []
        left, top, right, bottom = visible
        corners: FloatArray = np.array([[left, top], [right, top], [left, bottom], [right, bottom]])
        away = self._normals[among] @ corners.T - self._offsets[among, None]
        widths = self._widths[among]
        hidden = (away.min(axis=1) > widths) | (away.max(axis=1) < -widths)
        found: list[int] = np.array(among)[~hidden].tolist()
        return found


DASHES_FROM = 0.5
"""Below this scale dashes are too small to see, so lines are drawn solid."""

_ORDER = {state: place for place, state in enumerate(STROKES)}


class EdgeLayer(GraphLayer):
    """Draws the curves of a picture."""

    def __init__(self, picture: GraphPicture, theme: Theme) -> None:
        # Lines are extended to the outline of their target, beyond their control points.
        super().__init__(bounding_boxes(picture.curves), 2 * ARROW, theme)
        self._picture = picture
        self._curves = picture.curves
        self._fixed = [FIXED.get(curve.edge.kind) for curve in picture.curves]
        self._states = [UNTOUCHED if each is None else each for each in self._fixed]
        self._highlighted: frozenset[int] = frozenset()
        self._drawn: dict[tuple[int, int], DrawnLine] = {}
        self._lines: dict[int, list[QLineF]] = {}
        self._far_lines: dict[int, list[tuple[bool, int, list[QLineF]]]] = {}
        self._chords = LongEdges(picture.curves)
        self._paints: dict[tuple[str, bool], EdgePainter] = {}

    def set_states(self, states: list[int]) -> None:
        """Set which curves have carried a gradient."""
        pairs = zip(states, self._fixed, strict=True)
        before = self._states
        self._states = [state if fixed is None else fixed for state, fixed in pairs]
        pairs = zip(before, self._states, strict=True)
        changed = [at for at, (old, new) in enumerate(pairs) if old != new]
        for chunk in self.far_chunks_of(changed):
            self._far_lines.pop(chunk, None)
        self.update()

    def state(self, at: int) -> int:
        """Progress state of a curve."""
        return self._states[at]

    def set_dimmed(self, dimmed: list[bool], highlighted: frozenset[int] = frozenset()) -> None:
        """Dim some curves, and highlight others with a glow."""
        if (dimmed, highlighted) != (self._dimmed, self._highlighted):
            self._dimmed, self._highlighted = dimmed, highlighted
            self._far_lines.clear()
            self.update()

    def _paint_of(self, *, dimmed: bool) -> EdgePainter:
        look = (self._theme.name, dimmed)
        if look not in self._paints:
            self._paints[look] = EdgePainter(self._theme, dimmed=dimmed)
        return self._paints[look]

    def line(self, at: int, state: int) -> DrawnLine:
        """Return a curve as it is painted in a state."""
        if (at, state) not in self._drawn:
            self._drawn[at, state] = drawn_line(self.points(at), state)
        return self._drawn[at, state]

    def points(self, at: int) -> FloatArray:
        """Control points of a curve, extended to the outline of its target."""
        curve = self._curves[at]
        # A link has no arrow head that must touch the border.
        if self._fixed[at] == LINK:
            return curve.points
        x, y, width, height = self._picture.boxes[curve.target].tolist()
        box = Rect(x=x, y=y, width=width, height=height)
        return extended_to(SHAPES[self._picture.nodes[curve.target].kind], box, curve.points)

    def _line(self, at: int) -> list[QLineF]:
        if at not in self._lines:
            # Straight lines between the ends of the segments, for zoomed-out views.
            ends = self._curves[at].points[::3].tolist()
            self._lines[at] = [QLineF(*a, *b) for a, b in itertools.pairwise(ends)]
        return self._lines[at]

    def _grouped(self, members: list[int]) -> list[tuple[bool, int, list[int]]]:
        groups: dict[tuple[bool, int], list[int]] = defaultdict(list)
        for at in members:
            groups[self.is_dimmed(at), self._states[at]].append(at)
        # Fixed order: curves that have carried a gradient are painted on top.
        ordered = sorted(groups.items(), key=lambda each: (not each[0][0], _ORDER[each[0][1]]))
        return [(pale, state, group) for (pale, state), group in ordered]

    def _paint_far(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        # Faster with thousands of lines, and at this scale smooth edges cannot be seen.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for chunk, members in self.far_chunks(option):
            if chunk not in self._far_lines:
                self._far_lines[chunk] = [
                    (pale, state, [line for at in group for line in self._line(at)])
                    for pale, state, group in self._grouped(members)
                ]
            for pale, state, lines in self._far_lines[chunk]:
                painter.setPen(self._paint_of(dimmed=pale).far_pen(state))
                painter.drawLines(lines)

    def _paint_near(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.exposedRect
        visible = (rect.left(), rect.top(), rect.right(), rect.bottom())
        # The bounding box of a long diagonal covers much of the graph, so its chord is tested too.
        seen = self._chords.crossing(self.seen(option), visible)
        dashed = self.scale_of(painter) >= DASHES_FROM
        highlighted = self._highlighted.intersection(seen)
        if highlighted:
            shown = [self.line(at, self._states[at]) for at in sorted(highlighted)]
            self._paint_of(dimmed=False).paint_glow(painter, shown)
        for pale, state, group in self._grouped(seen):
            long = [at for at in group if self._chords.is_long(at)]
            pieces = self._chords.pieces_in_sight(long, visible)
            short = [self.line(at, state) for at in group if not self._chords.is_long(at)]
            paint = self._paint_of(dimmed=pale)
            paint.lines(painter, state, short, pieces, dashed=dashed)
            lines = [*short, *(self.line(at, state) for at in long)]
            paint.heads(painter, state, lines)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible curves."""
        if self.scale_of(painter) < TEXT_FROM:
            self._paint_far(painter, option)
        else:
            self._paint_near(painter, option)

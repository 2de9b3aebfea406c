"""All curves of the graph as one item; those that have carried a gradient stand out."""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.drawn import EdgeKind
from gradviz.drawing.face import SHAPES
from gradviz.viewer.canvas.chords import Chords
from gradviz.viewer.canvas.curves import ARROW, direction_at_end, lines_of, moved_end
from gradviz.viewer.canvas.edge_paint import (
    CUT,
    LINK,
    STROKES,
    DrawnLine,
    EdgePaint,
    drawn_line,
)
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer
from gradviz.viewer.canvas.outline import way_in
from gradviz.viewer.canvas.picture import Floats, Picture, bounding_boxes
from gradviz.viewer.canvas.progress import UNTOUCHED, States
from gradviz.viewer.look.theme import Theme

DASHES_FROM = 0.5
"""Below this scale dashes are too small to see, so lines are drawn solid."""

_CLEAR = 1.2
"""Gap between the tip of an arrow and the middle of the target's border."""

_FIXED: dict[EdgeKind, int] = {"saved": LINK, "made": LINK, "cut": CUT, "dead_end": LINK}
"""Constant states of lines along which no gradient flows in any step."""

_ORDER = {state: place for place, state in enumerate(STROKES)}


class EdgeLayer(Layer):
    """Draws the curves of a picture."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(bounding_boxes(picture.curves), margin=ARROW)
        self._picture = picture
        self._curves = picture.curves
        self._fixed = [_FIXED.get(curve.edge.kind) for curve in picture.curves]
        self._states = [UNTOUCHED if each is None else each for each in self._fixed]
        self._dimmed = [False] * len(self._curves)
        self._lit: frozenset[int] = frozenset()
        self._drawn: dict[tuple[int, int], DrawnLine] = {}
        self._lines: dict[int, list[QLineF]] = {}
        self._far_lines: dict[int, list[tuple[QPen, list[QLineF]]]] = {}
        self._chords = Chords(picture.curves)
        self.set_theme(theme)

    def set_states(self, states: States) -> None:
        """Set which curves have carried a gradient."""
        pairs = zip(states.tolist(), self._fixed, strict=True)
        self._states = [state if fixed is None else fixed for state, fixed in pairs]
        self._far_lines.clear()
        self.update()

    def state(self, at: int) -> int:
        """Progress state of a curve."""
        return self._states[at]

    def set_dimmed(self, dimmed: list[bool], lit: frozenset[int]) -> None:
        """Dim some curves, and highlight others with a glow."""
        self._dimmed = dimmed
        self._lit = lit
        self._far_lines.clear()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._paints = {pale: EdgePaint(theme, dimmed=pale) for pale in (False, True)}
        self._far_lines.clear()
        self.update()

    def line(self, at: int, state: int) -> DrawnLine:
        """Return a curve as it is painted in a state."""
        if (at, state) not in self._drawn:
            self._drawn[at, state] = drawn_line(self.points(at), state)
        return self._drawn[at, state]

    def points(self, at: int) -> Floats:
        """Control points of a curve, extended to the outline of its target."""
        curve = self._curves[at]
        kind = self._picture.nodes[curve.target].kind
        box = QRectF(*self._picture.boxes[curve.target].tolist())
        end, along = QPointF(*curve.points[-1]), QPointF(*direction_at_end(curve.points))
        missing = way_in(SHAPES[kind], box, end, along)
        if self._fixed[at] == LINK:
            return curve.points
        return moved_end(curve.points, missing - _CLEAR)

    def _line(self, at: int) -> list[QLineF]:
        if at not in self._lines:
            self._lines[at] = lines_of(self._curves[at].points)
        return self._lines[at]

    def _grouped(self, members: list[int]) -> list[tuple[bool, int, list[int]]]:
        groups: dict[tuple[bool, int], list[int]] = defaultdict(list)
        for at in members:
            groups[self._dimmed[at], self._states[at]].append(at)
        # Fixed order: curves that have carried a gradient are painted on top.
        ordered = sorted(groups.items(), key=lambda each: (not each[0][0], _ORDER[each[0][1]]))
        return [(pale, state, group) for (pale, state), group in ordered]

    def _paint_far(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for chunk, members in self.far_chunks(option):
            if chunk not in self._far_lines:
                self._far_lines[chunk] = [
                    (self._paints[pale].far_pen(state), [p for at in group for p in self._line(at)])
                    for pale, state, group in self._grouped(members)
                ]
            for pen, lines in self._far_lines[chunk]:
                painter.setPen(pen)
                painter.drawLines(lines)

    def _paint_near(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.exposedRect
        sight = (rect.left(), rect.top(), rect.right(), rect.bottom())
        seen = self._chords.crossing(self.seen(option), sight)
        dashed = self.scale_of(painter) >= DASHES_FROM
        lit = self._lit.intersection(seen)
        if lit:
            shown = [self.line(at, self._states[at]) for at in sorted(lit)]
            self._paints[False].light(painter, shown)
        for pale, state, group in self._grouped(seen):
            long = [at for at in group if self._chords.is_long(at)]
            pieces = self._chords.pieces_in_sight(long, sight)
            short = [self.line(at, state) for at in group if not self._chords.is_long(at)]
            self._paints[pale].lines(painter, state, short, pieces, dashed=dashed)
            lines = [*short, *(self.line(at, state) for at in long)]
            self._paints[pale].heads(painter, state, lines)

    def paint_overview(self, painter: QPainter) -> None:
        """Draw all curves as thin straight lines, whatever the scale."""
        self._paint_far(painter, self.whole())

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

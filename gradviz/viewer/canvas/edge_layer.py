"""All curves of the graph, drawn as one item; those that have carried a gradient stand out."""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.viewer.canvas.chords import Chords
from gradviz.viewer.canvas.curves import ARROW, arrow_head, lines_of, path_of
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer
from gradviz.viewer.canvas.picture import Picture, bounding_boxes
from gradviz.viewer.canvas.progress import DONE, NOW, TO_COME, UNTOUCHED, States
from gradviz.viewer.theme import Theme

LINK = 4
"""The state of a line along which no gradient flows."""


class EdgeLayer(Layer):
    """The curves of a picture."""

    def __init__(self, picture: Picture, theme: Theme) -> None:
        super().__init__(bounding_boxes(picture.curves), margin=ARROW)
        self._curves = picture.curves
        self._links = [curve.edge.kind == "saved" for curve in picture.curves]
        self._states = [LINK if link else UNTOUCHED for link in self._links]
        self._paths: dict[int, QPainterPath] = {}
        self._heads: dict[int, QPolygonF] = {}
        self._lines: dict[int, list[QLineF]] = {}
        self._far_lines: dict[int, list[tuple[int, list[QLineF]]]] = {}
        self._chords = Chords(picture.curves)
        self._pens = _pens(theme)

    def set_states(self, states: States) -> None:
        """Shows which curves have carried a gradient."""
        pairs = zip(states.tolist(), self._links, strict=True)
        self._states = [LINK if link else state for state, link in pairs]
        self._far_lines.clear()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._pens = _pens(theme)
        self.update()

    def path(self, at: int) -> QPainterPath:
        """The curve with this index."""
        if at not in self._paths:
            self._paths[at] = path_of(self._curves[at].points)
        return self._paths[at]

    def head(self, at: int) -> QPolygonF:
        """The arrow head of the curve with this index."""
        if at not in self._heads:
            self._heads[at] = arrow_head(self._curves[at].points)
        return self._heads[at]

    def _line(self, at: int) -> list[QLineF]:
        if at not in self._lines:
            self._lines[at] = lines_of(self._curves[at].points)
        return self._lines[at]

    def _grouped(self, members: list[int]) -> list[tuple[int, list[int]]]:
        groups: dict[int, list[int]] = defaultdict(list)
        for at in members:
            groups[self._states[at]].append(at)
        # In a fixed order, so that curves that carry lie above those that do not.
        return sorted(groups.items(), key=lambda group: group[0] % LINK)

    def _paint_far(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for chunk, members in self.far_chunks(option):
            if chunk not in self._far_lines:
                self._far_lines[chunk] = [
                    (state, [line for at in group for line in self._line(at)])
                    for state, group in self._grouped(members)
                ]
            for state, lines in self._far_lines[chunk]:
                painter.setPen(QPen(self._pens[state].color(), 0))
                painter.drawLines(lines)

    def _paint_near(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.exposedRect
        sight = (rect.left(), rect.top(), rect.right(), rect.bottom())
        seen = self._chords.crossing(self.seen(option), sight)
        for state, group in self._grouped(seen):
            pen = self._pens[state]
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            long = [at for at in group if self._chords.is_long(at)]
            painter.drawLines(self._chords.pieces_in_sight(long, sight))
            for at in group:
                if not self._chords.is_long(at):
                    painter.drawPath(self.path(at))
            if state == LINK:
                continue
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(pen.color())
            for at in group:
                painter.drawPolygon(self.head(at))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws the curves in sight."""
        if self.scale_of(painter) < TEXT_FROM:
            self._paint_far(painter, option)
        else:
            self._paint_near(painter, option)


def _pens(theme: Theme) -> dict[int, QPen]:
    quiet = theme.colour("edge_to_come")
    link = QPen(theme.colour("edge_link"), 1.1)
    link.setDashPattern([3.0, 3.0])
    return {
        UNTOUCHED: QPen(quiet, 1.3),
        TO_COME: QPen(quiet, 1.3),
        DONE: QPen(theme.colour("edge_done"), 2.4),
        NOW: QPen(theme.colour("edge_now"), 3.6),
        LINK: link,
    }

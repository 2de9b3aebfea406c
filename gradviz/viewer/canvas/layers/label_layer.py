"""Labels of lines that have carried a gradient: its name, and its shape or elements."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.palette import LEAST_TEXT, faded
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.geometry.box_geometry import (
    LABEL_X,
    LABEL_Y,
    label_lines,
    label_text_size,
    rect_beside_label,
)
from gradviz.drawing.geometry.rect import Rect
from gradviz.viewer.canvas.layers.graph_text import TextCache, measure, metrics_of
from gradviz.viewer.canvas.layers.layer import GraphLayer, PaintTensor
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, label_boxes
from gradviz.viewer.theme.theme import Theme

LABELS_FROM = 0.5
"""Below this scale line labels are not drawn."""

AWAY = 2.0
"""Gap between a line and its label's background."""

CORNER = 4.0


class LabelLayer(GraphLayer):
    """Draws the labels of a picture's lines in the space that the layout reserved."""

    def __init__(self, picture: GraphPicture, theme: Theme, paint_tensor: PaintTensor) -> None:
        boxes, self._owners = label_boxes(picture)
        super().__init__(boxes, margin=2.0)
        self._rooms = [Rect(x=x, y=y, width=w, height=h) for x, y, w, h in boxes.tolist()]
        self._detail = picture.detail
        self._labels: dict[int, str] = {}
        self._gradients: dict[int, ElementGrid] = {}
        self._now: frozenset[int] = frozenset()
        self._dimmed = [False] * len(picture.curves)
        self._texts = TextCache("label")
        self._drop = metrics_of("label").ascent() - metrics_of("label").height() / 2
        self._paint_tensor = paint_tensor
        self._theme = theme

    @property
    def labels(self) -> dict[int, str]:
        """Text of each label by index of its line."""
        return self._labels

    def set_labels(
        self, labels: dict[int, str], gradients: dict[int, ElementGrid], now: frozenset[int]
    ) -> None:
        """Set the label texts and the elements of tiny gradients, by index of the line.

        Labels of the lines in ``now`` get an accent border.
        """
        self._labels, self._gradients, self._now = labels, gradients, now
        self.update()

    def set_dimmed(self, dimmed: list[bool]) -> None:
        """Dim the labels of some lines."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self.update()

    def ground(self, at: int) -> QRectF:
        """Background of the label in one reserved space, sized to its text."""
        space, line = self._rooms[at], self._owners[at]
        if line in self._gradients:
            return QRectF(space.x + AWAY, space.y, space.width - AWAY, space.height)
        # Left-aligned to stay close to the line, and no higher than the text needs.
        width, height = label_text_size(self._labels[line], self._detail, measure)
        high = min(space.height, height + 2 * LABEL_Y)
        top = space.y + (space.height - high) / 2
        return QRectF(space.x + AWAY, top, width + 2 * LABEL_X - AWAY, high)

    def shown(self) -> Iterator[tuple[QRectF, QRectF, str]]:
        """Background, text or element rectangle, and text of each label, for legibility tests."""
        metrics = metrics_of("label")
        for at, line in enumerate(self._owners):
            if line not in self._labels:
                continue
            ground = self.ground(at)
            for baseline, text in self._lines(at):
                width = measure(text, "label")[0]
                top = baseline - metrics.ascent()
                yield ground, QRectF(self._left(at), top, width, metrics.height()), text
            if line in self._gradients:
                elements = rect_beside_label(self._rooms[at], self._gradients[line])
                yield ground, _rectangle(elements), ""

    def _lines(self, at: int) -> Iterator[tuple[float, str]]:
        """Baseline and text of each line of a label."""
        lines = label_lines(self._labels[self._owners[at]], self._detail, measure)
        height = metrics_of("label").height()
        first = self.ground(at).center().y() + self._drop - (len(lines) - 1) * height / 2
        yield from ((first + number * height, line) for number, line in enumerate(lines))

    def _left(self, at: int) -> float:
        return self._rooms[at].x + LABEL_X + AWAY / 2

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible labels."""
        if not self._labels or self.scale_of(painter) < LABELS_FROM:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._texts.begin(painter)
        for at in self.seen(option):
            if self._owners[at] in self._labels:
                self._paint_label(painter, at)

    def _paint_label(self, painter: QPainter, at: int) -> None:
        line, space, ground = self._owners[at], self._rooms[at], self.ground(at)
        ink, fill = self._theme.color("edge_label"), self._theme.color("edge_label_fill")
        now = QPen(self._theme.color("edge_now"), 1.2)
        painter.setPen(now if line in self._now else Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(ground, CORNER, CORNER)
        pale = self._dimmed[line]
        painter.setPen(QColor(faded(ink.name(), fill.name(), LEAST_TEXT)) if pale else ink)
        for baseline, text in self._lines(at):
            self._texts.draw(painter, self._left(at), baseline, text)
        tiny = self._gradients.get(line)
        if tiny is not None:
            self._paint_tensor(painter, _rectangle(rect_beside_label(space, tiny)), tiny.tensor)


def _rectangle(rect: Rect) -> QRectF:
    return QRectF(rect.x, rect.y, rect.width, rect.height)

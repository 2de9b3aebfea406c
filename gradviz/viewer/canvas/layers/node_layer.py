"""All boxes of the graph as one item: bodies, marks, texts and thumbnails."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.text_styles import FONTS, TextStyle
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE, HIDDEN, ProgressStates
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.drawing.geometry.rect import Rect
from gradviz.viewer.canvas.layers.card_outlines import STACK, mark_place
from gradviz.viewer.canvas.layers.card_painter import DRAWN_KINDS, NOW_MARK, CardPainter, is_marked
from gradviz.viewer.canvas.layers.graph_text import TextCache, font_of
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer, PaintTensor
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

TICKS_FROM = 0.6
"""Below this scale the tick of a mark is too small to see."""


class NodeLayer(GraphLayer):
    """Draws the boxes of a picture."""

    def __init__(self, picture: GraphPicture, theme: Theme, paint_tensor: PaintTensor) -> None:
        super().__init__(picture.boxes, margin=2 * NOW_MARK + STACK)
        self._picture = picture
        self._rects = [QRectF(*box) for box in picture.boxes.tolist()]
        self._kinds = np.array([DRAWN_KINDS.index(node.kind) for node in picture.nodes], np.int64)
        self._by_look: dict[int, dict[tuple[bool, int], list[QRectF]]] = {}
        self._mark_places: dict[int, QPointF | None] = {}
        self._states: list[int] = [DONE] * len(picture.nodes)
        self._dimmed = [False] * len(picture.nodes)
        self._hidden_cards: frozenset[int] = frozenset()
        self._texts: dict[TextStyle, TextCache] = {style: TextCache(style) for style in FONTS}
        self._paint_tensor = paint_tensor
        self._theme = theme
        self._paints: dict[tuple[str, bool], CardPainter] = {}

    def set_states(self, states: ProgressStates) -> None:
        """Set the progress state of each box."""
        self._states = states.tolist()
        self.update()

    def set_dimmed(self, dimmed: list[bool]) -> None:
        """Dim some boxes."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self._by_look.clear()
            self.update()

    @property
    def hidden_cards(self) -> frozenset[int]:
        """Boxes whose contents are hidden."""
        return self._hidden_cards

    def set_hidden_cards(self, hidden_cards: frozenset[int]) -> None:
        """Replace the contents of some boxes by a question mark."""
        if hidden_cards != self._hidden_cards:
            self._hidden_cards = hidden_cards
            self.update()

    def _paint(self, dimmed: bool) -> CardPainter:
        # Created on demand: dimmed colors take time to compute and are rarely needed.
        look = (self._theme.name, dimmed)
        if look not in self._paints:
            self._paints[look] = CardPainter(self._theme, dimmed=dimmed)
        return self._paints[look]

    def _paint_far(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        for chunk, members in self.far_chunks(option):
            if chunk not in self._by_look:
                self._by_look[chunk] = self._grouped(members)
            for (dimmed, kind), boxes in self._by_look[chunk].items():
                painter.setBrush(self._paint(dimmed).far_color(DRAWN_KINDS[kind]))
                # One call per color: Qt paints a single path of thousands of rectangles ten times
                # slower.
                painter.drawRects(boxes)

    def _grouped(self, members: list[int]) -> dict[tuple[bool, int], list[QRectF]]:
        groups: dict[tuple[bool, int], list[QRectF]] = defaultdict(list)
        for at, kind in zip(members, self._kinds[members].tolist(), strict=True):
            groups[self._dimmed[at], kind].append(self._rects[at])
        return groups

    def _paint_near(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = self.seen(option)
        nodes, faces = self._picture.nodes, self._picture.faces
        for at in seen:
            paint = self._paint(self._dimmed[at])
            paint.body(painter, nodes[at].kind, self._rects[at], self._states[at])
            badge = faces[at].badge
            if badge is not None:
                paint.badge(painter, nodes[at].kind, self._inside(at, badge))
        self._paint_texts(painter, seen)
        self._paint_hidden_cards(painter, seen)
        for at in seen:
            if at in self._hidden_cards:
                continue
            drawn = ((nodes[at].thumbnail, faces[at].thumbnail),)
            for tiny, space in (*drawn, *zip(nodes[at].samples, faces[at].samples, strict=True)):
                if tiny is not None and space is not None:
                    self._paint_tensor(painter, self._inside(at, space), tiny.tensor)
        # After all bodies and texts, since a mark reaches beyond its card.
        fine = self.scale_of(painter) >= TICKS_FROM
        for at in seen:
            place = self._mark_place(at)
            if place is not None:
                self._paint(self._dimmed[at]).mark(painter, place, self._states[at], fine=fine)

    def _paint_texts(self, painter: QPainter, seen: list[int]) -> None:
        nodes, faces = self._picture.nodes, self._picture.faces
        for style, cache in self._texts.items():
            # One style after the other, because changing the painter's font is expensive.
            cache.begin(painter)
            for at in seen:
                box = self._rects[at]
                for text in faces[at].texts if at not in self._hidden_cards else ():
                    if text.style != style:
                        continue
                    painter.setPen(self._ink(at, nodes[at].kind, style))
                    left = text.x - text.width / 2 if text.centred else text.x
                    cache.draw(painter, box.x() + left, box.y() + text.baseline, text.text)

    def _paint_hidden_cards(self, painter: QPainter, seen: list[int]) -> None:
        painter.setFont(font_of("title"))
        for at in self._hidden_cards.intersection(seen):
            painter.setPen(self._ink(at, self._picture.nodes[at].kind, "title"))
            painter.drawText(self._rects[at], Qt.AlignmentFlag.AlignCenter, HIDDEN)

    def _ink(self, at: int, kind: DrawnKind, style: TextStyle) -> QColor:
        paint = self._paint(self._dimmed[at])
        return paint.badge_text(kind) if style == "mark" else paint.text[kind]

    def _mark_place(self, at: int) -> QPointF | None:
        if at not in self._mark_places:
            kind = self._picture.nodes[at].kind
            brief = self._picture.detail.brief
            self._mark_places[at] = (
                mark_place(SHAPES[kind], self._rects[at], brief=brief) if is_marked(kind) else None
            )
        return self._mark_places[at]

    def _inside(self, at: int, part: Rect) -> QRectF:
        box = self._rects[at]
        return QRectF(box.x() + part.x, box.y() + part.y, part.width, part.height)

    def paint_overview(self, painter: QPainter) -> None:
        """Draw all boxes as plain colored rectangles, whatever the scale."""
        self._paint_far(painter, self.whole())

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the visible boxes."""
        if self.scale_of(painter) < TEXT_FROM:
            self._paint_far(painter, option)
        else:
            self._paint_near(painter, option)

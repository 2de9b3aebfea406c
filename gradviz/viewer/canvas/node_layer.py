"""All boxes of the graph, drawn as one item: bodies, marks, texts and thumbnails."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.face import Rect
from gradviz.drawing.style import FONTS, TextStyle
from gradviz.viewer.canvas.card_paint import DRAWN_KINDS, MARK, STACK, CardPaint
from gradviz.viewer.canvas.layer import TEXT_FROM, Layer, PaintTensor
from gradviz.viewer.canvas.picture import Picture
from gradviz.viewer.canvas.progress import DONE, States
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.theme import Theme

_UNMARKED = ("saved", "link", "output")


class NodeLayer(Layer):
    """The boxes of a picture."""

    def __init__(self, picture: Picture, theme: Theme, paint_tensor: PaintTensor) -> None:
        super().__init__(picture.boxes, margin=2 * MARK + STACK)
        self._picture = picture
        self._rects = [QRectF(*box) for box in picture.boxes.tolist()]
        self._kinds = np.array([DRAWN_KINDS.index(node.kind) for node in picture.nodes], np.int64)
        self._by_kind: dict[int, dict[int, list[QRectF]]] = {}
        self._marked = [node.kind not in _UNMARKED for node in picture.nodes]
        self._states: list[int] = [DONE] * len(picture.nodes)
        self._texts: dict[TextStyle, TextCache] = {style: TextCache(style) for style in FONTS}
        self._paint = CardPaint(theme)
        self._paint_tensor = paint_tensor

    def set_states(self, states: States) -> None:
        """Shows how far each box has got."""
        self._states = states.tolist()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme."""
        self._paint = CardPaint(theme)
        self.update()

    def _paint_far(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        for chunk, members in self.far_chunks(option):
            if chunk not in self._by_kind:
                self._by_kind[chunk] = self._grouped(members)
            for kind, boxes in self._by_kind[chunk].items():
                painter.setBrush(self._paint.far_colour(DRAWN_KINDS[kind]))
                painter.drawRects(boxes)

    def _grouped(self, members: list[int]) -> dict[int, list[QRectF]]:
        groups: dict[int, list[QRectF]] = defaultdict(list)
        for at, kind in zip(members, self._kinds[members].tolist(), strict=True):
            groups[kind].append(self._rects[at])
        return groups

    def _paint_near(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = self.seen(option)
        nodes, faces = self._picture.nodes, self._picture.faces
        for at in seen:
            self._paint.body(painter, nodes[at].kind, self._rects[at], self._states[at])
            badge = faces[at].badge
            if badge is not None:
                self._paint.badge(painter, nodes[at].kind, self._inside(at, badge))
        for at in seen:
            if self._marked[at]:
                self._paint.mark(painter, self._rects[at], self._states[at])
        self._paint_texts(painter, seen)
        for at in seen:
            drawn = ((nodes[at].thumbnail, faces[at].thumbnail),)
            for tiny, room in (*drawn, *zip(nodes[at].samples, faces[at].samples, strict=True)):
                if tiny is not None and room is not None:
                    self._paint_tensor(painter, self._inside(at, room), tiny.tensor)

    def _paint_texts(self, painter: QPainter, seen: list[int]) -> None:
        nodes, faces = self._picture.nodes, self._picture.faces
        for style, cache in self._texts.items():
            cache.begin(painter)
            for at in seen:
                box = self._rects[at]
                for text in faces[at].texts:
                    if text.style != style:
                        continue
                    ink = self._paint.text[nodes[at].kind]
                    painter.setPen(self._paint.badge_text() if style == "mark" else ink)
                    left = text.x - text.width / 2 if text.centred else text.x
                    cache.draw(painter, box.x() + left, box.y() + text.baseline, text.text)

    def _inside(self, at: int, part: Rect) -> QRectF:
        box = self._rects[at]
        return QRectF(box.x() + part.x, box.y() + part.y, part.width, part.height)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draws the boxes in sight."""
        if self.scale_of(painter) < TEXT_FROM:
            self._paint_far(painter, option)
        else:
            self._paint_near(painter, option)

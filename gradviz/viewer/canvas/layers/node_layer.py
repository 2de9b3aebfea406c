"""All boxes of the graph as one item: bodies, marks, texts and thumbnails."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE
from gradviz.drawing.display.cards import NOW_MARK, CardParts, card_parts, kind_role
from gradviz.drawing.display.outlines import STACK
from gradviz.drawing.display.parts import TextRun
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.viewer.canvas.layers.graph_text import measure
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer
from gradviz.viewer.canvas.layers.part_painter import PaintTensor, PartPainter, qt_rect
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.theme.theme import Theme

DRAWN_KINDS: tuple[DrawnKind, ...] = tuple(SHAPES)


class NodeLayer(GraphLayer):
    """Draws the boxes of a picture."""

    def __init__(self, picture: GraphPicture, theme: Theme, paint_tensor: PaintTensor) -> None:
        super().__init__(picture.boxes, 2 * NOW_MARK + STACK, theme)
        self._picture = picture
        self._rects = [QRectF(*box) for box in picture.boxes.tolist()]
        self._kinds = np.array([DRAWN_KINDS.index(node.kind) for node in picture.nodes], np.int64)
        self._by_look: dict[int, dict[tuple[bool, int], list[QRectF]]] = {}
        self._parts: dict[tuple[int, int, bool], CardParts] = {}
        self._states = [DONE] * len(picture.nodes)
        self.hidden_cards: frozenset[int] = frozenset()
        self._tensor = paint_tensor

    def set_states(self, states: list[int]) -> None:
        """Set the progress state of each box."""
        self._states = states
        self.update()

    def set_dimmed(self, dimmed: list[bool]) -> None:
        """Dim some boxes."""
        if dimmed != self._dimmed:
            self._by_look.clear()
        super().set_dimmed(dimmed)

    def set_hidden_cards(self, hidden_cards: frozenset[int]) -> None:
        """Replace the contents of some boxes by a question mark."""
        if hidden_cards != self.hidden_cards:
            self.hidden_cards = hidden_cards
            self.update()

    def _paint_far(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        for chunk, members in self.far_chunks(option):
            if chunk not in self._by_look:
                self._by_look[chunk] = self._grouped(members)
            for (dimmed, kind), boxes in self._by_look[chunk].items():
                # The single color of a box that is too small for a border.
                role = kind_role(DRAWN_KINDS[kind], "border")
                painter.setBrush(self.colors(dimmed=dimmed).color(role))
                # One call per color: Qt paints a single path of thousands of rectangles ten times
                # slower.
                painter.drawRects(boxes)

    def _grouped(self, members: list[int]) -> dict[tuple[bool, int], list[QRectF]]:
        groups: dict[tuple[bool, int], list[QRectF]] = defaultdict(list)
        for at, kind in zip(members, self._kinds[members].tolist(), strict=True):
            groups[self.is_dimmed(at), kind].append(self._rects[at])
        return groups

    def _card(self, at: int) -> CardParts:
        """The parts of a box in its state, which are made once."""
        key = at, self._states[at], at in self.hidden_cards
        if key not in self._parts:
            picture = self._picture
            self._parts[key] = card_parts(
                picture.nodes[at],
                picture.faces[at],
                self.box(at),
                key[1],
                measure=measure,
                is_hidden=key[2],
                brief=picture.detail.brief,
            )
        return self._parts[key]

    def _paint_near(self, painter: QPainter, option: QStyleOptionGraphicsItem) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = self.seen(option)
        cards = [(self._card(at), self.colors(dimmed=self.is_dimmed(at))) for at in seen]
        for card, colors in cards:
            for shape in card.body:
                colors.shape(painter, shape)
        self._paint_texts(painter, cards)
        for card, _ in cards:
            for cells in card.cells:
                self._tensor(painter, qt_rect(cells.rect), cells.tensor)
        # After all bodies and texts, since a mark reaches beyond its card.
        for card, colors in cards:
            for shape in card.mark:
                colors.shape(painter, shape)

    def _paint_texts(self, painter: QPainter, cards: list[tuple[CardParts, PartPainter]]) -> None:
        runs: dict[tuple[TextStyle, PartPainter], list[TextRun]] = defaultdict(list)
        for card, colors in cards:
            for text in card.texts:
                runs[text.style, colors].append(text)
        # One style after the other, because changing the painter's font is expensive.
        for (_, colors), texts in runs.items():
            colors.paint(painter, texts)

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

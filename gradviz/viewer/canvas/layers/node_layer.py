"""Boxes, frames, and labels of lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_progress import DONE
from gradviz.drawing.display.cards import NOW_MARK, CardParts, card_parts, kind_role
from gradviz.drawing.display.edges import label_parts
from gradviz.drawing.display.frames import frame_depths, frame_shape, frame_title
from gradviz.drawing.display.outlines import STACK
from gradviz.drawing.display.parts import Part, RoundedRect, Shape, TensorCells, TextRun
from gradviz.viewer.canvas.layers.graph_text import measure, metrics_of
from gradviz.viewer.canvas.layers.layer import TEXT_FROM, GraphLayer, LayerContext, PartsLayer
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.canvas.layout.graph_picture import (
    GraphFrame,
    bar_boxes,
    frame_boxes,
    label_boxes,
)
from gradviz.viewer.tensor_view.cell_painter import qt_rect, rect_of


class NodeLayer(GraphLayer):
    """Draws the boxes of a picture."""

    def __init__(self, context: LayerContext) -> None:
        super().__init__(context, context.picture.boxes, 2 * NOW_MARK + STACK)
        self._far: dict[tuple[bool, DrawnKind], list[QRectF]] | None = None
        self._parts: dict[tuple[int, int, bool], CardParts] = {}
        self.heats: dict[int, float] = {}
        self._states = [DONE] * len(context.picture.nodes)
        self.hidden_cards: frozenset[int] = frozenset()

    def set_states(self, states: list[int]) -> None:
        """Set the progress state of each box."""
        self._states = states
        self._context.update()

    def set_heats(self, heats: dict[int, float]) -> None:
        """Color some boxes by a number from 0 to 1 instead of by their kind."""
        if heats != self.heats:
            self.heats = heats
            self._parts.clear()
            self._context.update()

    def set_dimmed(self, dimmed: list[bool]) -> None:
        """Dim some boxes."""
        self._far = None
        super().set_dimmed(dimmed)

    def set_absent(self, absent: frozenset[int]) -> None:
        """Leave out some boxes."""
        self._far = None
        super().set_absent(absent)

    def set_hidden_cards(self, hidden_cards: frozenset[int]) -> None:
        """Replace the contents of some boxes by a question mark."""
        self.hidden_cards = hidden_cards
        self._context.update()

    def _paint_far(self, painter: QPainter) -> None:
        if self._far is None:
            self._far = defaultdict(list)
            picture = self._context.picture
            for at, (node, box) in enumerate(zip(picture.nodes, picture.boxes, strict=True)):
                if at not in self._absent:
                    self._far[self.is_dimmed(at), node.kind].append(QRectF(*box.tolist()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        for (dimmed, kind), boxes in self._far.items():
            # The single color of a box that is too small for a border.
            painter.setBrush(self._context.colors(dimmed=dimmed).color(kind_role(kind, "border")))
            # Qt paints a single path of thousands of rectangles ten times slower.
            painter.drawRects(boxes)

    def _card(self, at: int) -> CardParts:
        """The parts of a box in its state, which are made once."""
        key = at, self._states[at], at in self.hidden_cards
        if key not in self._parts:
            picture = self._context.picture
            self._parts[key] = card_parts(
                picture.nodes[at],
                picture.faces[at],
                self.box(at),
                key[1],
                measure=measure,
                is_hidden=key[2],
                brief=picture.detail.brief,
                heat=self.heats.get(at),
            )
        return self._parts[key]

    def _paint_near(self, painter: QPainter, exposed: QRectF) -> None:
        colors_of = self._context.colors
        seen = self.seen(exposed)
        cards = [(self._card(at), colors_of(dimmed=self.is_dimmed(at))) for at in seen]
        for card, colors in cards:
            for shape in card.body:
                colors.shape(painter, shape)
        self._paint_texts(painter, cards)
        for card, _ in cards:
            for cells in card.cells:
                self._context.paint_tensor(painter, qt_rect(cells.rect), cells.tensor)
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

    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the visible boxes."""
        if self.scale_of(painter) < TEXT_FROM:
            self._paint_far(painter)
        else:
            self._paint_near(painter, exposed)


class FrameTitles(PartsLayer):
    """Draws each frame's title and its close button."""

    def __init__(self, context: LayerContext) -> None:
        picture = context.picture
        super().__init__(context, bar_boxes(picture), 2.0)
        self._frames = picture.frames
        self._depths = frame_depths([frame.drawn for frame in picture.frames])
        self._hovered: GraphFrame | None = None

    def set_hovered(self, frame: GraphFrame | None) -> bool:
        """Highlight the close button of one frame, or of none; return whether that changed."""
        if frame is self._hovered:
            return False
        self._hovered = frame
        self._context.update()
        return True

    def parts(self, at: int) -> Iterable[Part]:
        """The title of a frame and its button."""
        frame = self._frames[at]
        sign: PaletteRole = "accent" if frame is self._hovered else "frame_text"
        return frame_title(frame.face, self.box(at), self._depths[at], sign)


SIGN_REACH = 4.0
"""Click tolerance around a close button."""


class FrameLayer(PartsLayer):
    """Draws the frames of a picture, outer frames first."""

    _least_scale = 0.0

    def __init__(self, context: LayerContext) -> None:
        picture = context.picture
        super().__init__(context, frame_boxes(picture), 2.0)
        self._frames = picture.frames
        self._depths = frame_depths([frame.drawn for frame in picture.frames])

    def at(self, place: QPointF) -> tuple[GraphFrame, bool] | None:
        """Frame whose title bar contains a point, and whether the point is on its close button."""
        # Inner frames come later in the list, and the innermost one is meant.
        for frame in reversed(self._frames):
            if QRectF(*frame.box).contains(place):
                sign = frame.sign.adjusted(-SIGN_REACH, -SIGN_REACH, SIGN_REACH, SIGN_REACH)
                return (frame, sign.contains(place)) if frame.bar.contains(place) else None
        return None

    def paint_frame(self, painter: QPainter, number: int, box: QRectF) -> None:
        """Paint a frame at any rectangle, for example during an animation."""
        self._context.colors().shape(painter, frame_shape(rect_of(box), self._depths[number]))

    def parts(self, at: int) -> Iterable[Part]:
        """The background of a frame."""
        return (frame_shape(self.box(at), self._depths[at]),)


LABELS_FROM = 0.5
"""Below this scale line labels are not drawn."""


class LabelLayer(PartsLayer):
    """Draws the labels of a picture's lines in the space that the layout reserved."""

    _least_scale = LABELS_FROM

    def __init__(self, context: LayerContext) -> None:
        boxes, self._owners = label_boxes(context.picture)
        super().__init__(context, boxes, 2.0)
        self.labels: dict[int, str] = {}
        self._gradients: dict[int, ElementGrid] = {}
        self._now: frozenset[int] = frozenset()

    def set_labels(
        self, labels: dict[int, str], gradients: dict[int, ElementGrid], now: frozenset[int]
    ) -> None:
        """Set the label texts and the elements of tiny gradients, by index of the line.

        Labels of the lines in ``now`` get an accent border.
        """
        self.labels, self._gradients, self._now = labels, gradients, now
        self._context.update()

    def shown(self) -> Iterator[tuple[QRectF, QRectF, str]]:
        """Background, text or element rectangle, and text of each label, for legibility tests."""
        metrics = metrics_of("label")
        for at, line in enumerate(self._owners):
            ground = QRectF()
            for part in self.parts(at) if line in self.labels else ():
                if isinstance(part, Shape):
                    assert isinstance(part.outline, RoundedRect)
                    ground = qt_rect(part.outline.rect)
                elif isinstance(part, TensorCells):
                    yield ground, qt_rect(part.rect), ""
                else:
                    width, top = measure(part.text, "label")[0], part.baseline - metrics.ascent()
                    yield ground, QRectF(part.x, top, width, metrics.height()), part.text

    def items(self, exposed: QRectF) -> Iterable[int]:
        """The visible labels that have a text."""
        return [at for at in self.seen(exposed) if self._owners[at] in self.labels]

    def owner(self, at: int) -> int:
        """The line of a label."""
        return self._owners[at]

    def parts(self, at: int) -> Iterable[Part]:
        """Background, text and elements of a label."""
        line = self._owners[at]
        return label_parts(
            self.labels[line],
            self._gradients.get(line),
            self.box(at),
            self._context.picture.detail,
            measure,
            is_now=line in self._now,
        )

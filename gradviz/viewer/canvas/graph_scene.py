"""The Qt scene of one picture: its layers and overlays, and how each step changes them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QMarginsF, QRect, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsScene

from gradviz.drawing.content.graph_progress import NOW, GraphState
from gradviz.drawing.display.cards import Highlight
from gradviz.viewer.canvas.layers.card_highlights import CardHighlight, GradientPulse
from gradviz.viewer.canvas.layers.edge_layer import EdgeLayer
from gradviz.viewer.canvas.layers.layer import CanvasItem, LayerContext
from gradviz.viewer.canvas.layers.mark_layers import (
    BreakpointLayer,
    DifferenceLayer,
    GroupProgressLayer,
    LocationLayer,
    OrderLayer,
    ProblemLayer,
    StorageLayer,
)
from gradviz.viewer.canvas.layers.node_layer import FrameLayer, FrameTitles, LabelLayer, NodeLayer
from gradviz.viewer.canvas.layers.part_painter import PaintTensor
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture
from gradviz.viewer.canvas.layout.graph_space import margin_of
from gradviz.viewer.theme.theme import Theme

SCENE_MARGIN = 4000.0
"""How far the view can scroll beyond the graph, in scene units."""

_OVERHANG = 5.0
"""Space around a card for the marks at its corners, in scene units."""


class GraphScene(QGraphicsScene):
    """Scene of one picture; another picture needs another scene."""

    def __init__(self, picture: GraphPicture, theme: Theme, paint_tensor: PaintTensor) -> None:
        super().__init__()
        self.picture = picture
        self.context = context = LayerContext(
            picture=picture, theme=theme, paint_tensor=paint_tensor, update=self.update
        )
        # Kept, as it follows from every curve and each step asks for it.
        self._graph_rect = _bounds_with_margin(picture)
        self.frames = FrameLayer(context)
        self.hits = CardHighlight("hit", context)
        # A step can have several current cards, such as a node and its leaf.
        self._halo = CardHighlight("now", context)
        self.edges = EdgeLayer(context)
        self.titles = FrameTitles(context)
        self.nodes = NodeLayer(context)
        self.group_progresses = GroupProgressLayer(context)
        self.labels = LabelLayer(context)
        self.storages = StorageLayer(context)
        self.orders = OrderLayer(context)
        self._outlines: dict[Highlight, CardHighlight] = {
            "selected": CardHighlight("selected", context),
            "hovered": CardHighlight("hovered", context),
        }
        self.node_problems = ProblemLayer(context, self.orders.marks)
        self.breakpoints = BreakpointLayer(context)
        self.differences = DifferenceLayer(context)
        self.place = LocationLayer(context)
        self.pulse = GradientPulse(context)
        self.transition: CanvasItem | None = None
        self._theme = theme
        self._failing = False
        # Nanoseconds of the slowest card if cards are colored by time.
        self.longest = 0
        self._selected: int | None = None
        self._now: tuple[list[int], frozenset[int]] = ([], frozenset())
        # Qt's own scene rectangle would be empty.
        self.setSceneRect(
            self.graph_rect().adjusted(-SCENE_MARGIN, -SCENE_MARGIN, SCENE_MARGIN, SCENE_MARGIN)
        )

    @property
    def items_by_height(self) -> tuple[CanvasItem, ...]:
        """All that is painted, the lowest first: lines cross no text, marks are above everything.

        Boxes move behind the lines, which fade in before they have arrived.
        """
        moving = () if self.transition is None else (self.transition,)
        return (
            *(self.frames, self.hits, *moving, self._halo, self.edges, self.titles, self.nodes),
            *(self.group_progresses, self.labels, self.storages, self.orders),
            *(*self._outlines.values(), self.node_problems, self.breakpoints),
            *(self.differences, self.place, self.pulse),
        )

    def graph_rect(self) -> QRectF:
        """Bounds of everything that is drawn, with a margin."""
        return QRectF(self._graph_rect)

    def box(self, card: int) -> QRectF:
        """Rectangle of a card."""
        return QRectF(*self.picture.boxes[card].tolist())

    def set_absent(self, cards: frozenset[int]) -> None:
        """Leave out some boxes and their curves, as if they were not there."""
        self.nodes.set_absent(cards)
        ends = ((at, {curve.source, curve.target}) for at, curve in enumerate(self.picture.curves))
        self.edges.set_absent(frozenset(at for at, both in ends if both & cards))

    def show_progress(self, state: GraphState) -> None:
        """Show the progress of boxes and curves, and the gradients on the curves."""
        self.nodes.set_states(state.boxes)
        self.edges.set_states(state.edges)
        now = frozenset(at for at, each in enumerate(state.edges) if each == NOW)
        self.labels.set_labels(state.labels, state.gradients, now)
        self.group_progresses.show(state.group_progresses)
        self._failing = state.failing
        self._now = ([at for at, each in enumerate(state.boxes) if each == NOW], now)
        self.rest()
        if self._selected is not None:
            self._dim_others()

    @property
    def cards_now(self) -> list[int]:
        """Cards of the current step."""
        return self._now[0]

    @property
    def color_now(self) -> QColor:
        """Color of the current gradient flow."""
        return self._theme.color("edge_now")

    def rest(self) -> None:
        """End the pulse and put the halos around the current cards."""
        self.pulse.show_at(1.0)
        self._halo.show(self._now[0], "failing" if self._failing else "now")

    def move_halo(self, number: int, box: QRectF) -> None:
        """Move one halo of `cards_now` while it is animated toward its card."""
        self._halo.move(self._now[0][number], box)

    def areas_now(self) -> list[QRectF]:
        """Areas that must be visible in the current step, by `areas_of`."""
        return self.areas_of(*self._now)

    def areas_of(self, cards: Iterable[int], curves: Iterable[int] = ()) -> list[QRectF]:
        """Areas of cards with their halos, then of lines: their labels and the cards they join."""
        halo = QMarginsF() + margin_of(self.picture.detail)
        marks = QMarginsF() + _OVERHANG
        areas = [self.box(card) + halo for card in cards]
        lines = [self.picture.curves[curve] for curve in curves]
        areas += [QRectF(*line.label) for line in lines if line.label is not None]
        ends = [end for line in lines for end in (line.target, line.source)]
        return areas + [self.box(end) + marks for end in ends]

    def mark(self, which: Highlight, card: int | None) -> None:
        """Mark one card as hovered or selected, or none.

        While a card is selected, everything not connected to it is dimmed, except the current step.
        """
        self._outlines[which].show(() if card is None else (card,))
        if which == "selected" and card != self._selected:
            self._selected = card
            self._dim_others()

    def mark_hits(self, cards: frozenset[int]) -> None:
        """Highlight the cards that match the search."""
        self.hits.show(sorted(cards))

    def _dim_others(self) -> None:
        cards, curves, selected = self.picture.nodes, self.picture.curves, self._selected
        near = {at for at, curve in enumerate(curves) if selected in (curve.source, curve.target)}
        highlighted = {selected, *self._now[0]}
        highlighted |= {end for at in near for end in (curves[at].source, curves[at].target)}
        none = selected is None
        pale = [not (none or at in near or at in self._now[1]) for at in range(len(curves))]
        dimmed = [not (none or at in highlighted) for at in range(len(cards))]
        self.nodes.set_dimmed(dimmed)
        self.group_progresses.set_dimmed(dimmed)
        self.edges.set_dimmed(pale, frozenset(near))
        self.labels.set_dimmed(pale)

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """Paint everything; the graph has no graphics items of Qt."""
        painter.fillRect(rect, self._theme.color("canvas"))
        for item in self.items_by_height:
            if item.opacity > 0:
                painter.save()
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setOpacity(item.opacity)
                item.paint(painter, QRectF(rect))
                painter.restore()


def _bounds_with_margin(picture: GraphPicture) -> QRectF:
    left, top, right, bottom = picture.bounds
    out = margin_of(picture.detail)
    return QRectF(left, top, right - left, bottom - top) + (QMarginsF() + out)

"""The Qt scene of one picture: its layers and overlays, and how each step changes them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QMarginsF, QRect, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsScene

from gradviz.drawing.content.graph_progress import NOW, GraphState
from gradviz.drawing.display.cards import Highlight
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.viewer.canvas.layers.card_highlights import CardOutline, GradientPulse, SearchHitLayer
from gradviz.viewer.canvas.layers.edge_layer import EdgeLayer
from gradviz.viewer.canvas.layers.layer import GraphLayer
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
        # Kept, as it follows from every curve and each step asks for it.
        self._graph_rect = _bounds_with_margin(picture)
        self.frames = FrameLayer(picture, theme)
        self.hits = SearchHitLayer(picture, theme)
        self.titles = FrameTitles(picture, theme)
        self.edges = EdgeLayer(picture, theme)
        self.nodes = NodeLayer(picture, theme, paint_tensor)
        self.group_progresses = GroupProgressLayer(picture, theme)
        self.labels = LabelLayer(picture, theme, paint_tensor)
        self.storages = StorageLayer(picture, theme)
        self.orders = OrderLayer(picture, theme)
        self.node_problems = ProblemLayer(picture, self.orders, theme)
        self.breakpoints = BreakpointLayer(picture, theme)
        self.differences = DifferenceLayer(picture, theme)
        self.place = LocationLayer(picture, theme)
        self._outlines: dict[Highlight, list[CardOutline]] = {
            # A step can have several current cards, such as a node and its leaf.
            "now": [],
            "selected": [CardOutline("selected", theme)],
            "hovered": [CardOutline("hovered", theme)],
        }
        self._theme = theme
        self._failing = False
        # Nanoseconds of the slowest card if cards are colored by time.
        self.longest = 0
        self._selected: int | None = None
        self._now: tuple[list[int], frozenset[int]] = ([], frozenset())
        # Lines are below titles and cards, so that they cross no text; marks are above everything.
        self._layers: dict[GraphLayer, float] = {
            self.frames: -2.0,
            self.hits: -1.5,
            self.edges: 0.0,
            self.titles: 1.0,
            self.nodes: 2.0,
            self.group_progresses: 2.0,
            self.labels: 3.0,
            self.storages: 3.0,
            self.orders: 3.0,
            self.node_problems: 5.0,
            self.breakpoints: 5.0,
            self.differences: 5.0,
            self.place: 5.0,
        }
        marks = (*self._outlines["selected"], *self._outlines["hovered"])
        for item, height in (*self._layers.items(), *((mark, 4.0) for mark in marks)):
            item.setZValue(height)
            self.addItem(item)
        self.pulse = GradientPulse()
        self.addItem(self.pulse)
        # Qt's own scene rectangle grows with every moving item, which would shift the view.
        self.setSceneRect(
            self.graph_rect().adjusted(-SCENE_MARGIN, -SCENE_MARGIN, SCENE_MARGIN, SCENE_MARGIN)
        )

    def graph_rect(self) -> QRectF:
        """Bounds of everything that is drawn, with a margin."""
        return QRectF(self._graph_rect)

    def box(self, card: int) -> QRectF:
        """Rectangle of a card."""
        return QRectF(*self.picture.boxes[card].tolist())

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """Fill the canvas."""
        painter.fillRect(rect, self._theme.color("canvas"))

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
        self.group_progresses.set_texts(state.group_progresses)
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
        self._surround_now(self._now[0])

    def move_halo(self, number: int, box: QRectF) -> None:
        """Move one halo of `cards_now` while it is animated toward its card."""
        card = self._now[0][number]
        self._outlines["now"][number].surround(box, SHAPES[self.picture.nodes[card].kind])

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
        self._surround(self._outlines[which][0], card)
        if which == "selected" and card != self._selected:
            self._selected = card
            self._dim_others()

    def mark_hits(self, cards: frozenset[int]) -> None:
        """Highlight the cards that match the search."""
        self.hits.set_hits(cards)

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

    def _surround(self, outline: CardOutline, card: int | None) -> None:
        if card is None:
            outline.surround(None)
        else:
            outline.surround(self.box(card), SHAPES[self.picture.nodes[card].kind])

    def _surround_now(self, cards: list[int]) -> None:
        halos = self._outlines["now"]
        while len(halos) < len(cards):
            halo = CardOutline("now", self._theme)
            # Above the frames, below the lines that end at the card.
            halo.setZValue(-1)
            self.addItem(halo)
            halos.append(halo)
        for at, halo in enumerate(halos):
            halo.set_failing(self._failing)
            self._surround(halo, cards[at] if at < len(cards) else None)


def _bounds_with_margin(picture: GraphPicture) -> QRectF:
    left, top, right, bottom = picture.bounds
    out = margin_of(picture.detail)
    return QRectF(left, top, right - left, bottom - top) + (QMarginsF() + out)

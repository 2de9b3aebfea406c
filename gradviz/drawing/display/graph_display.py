"""The parts of a laid-out graph in each of its states, for exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.color_scales import color_scales
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_progress import NOW, STATUSES, GraphState
from gradviz.drawing.content.hidden_graph_parts import HiddenGraphParts
from gradviz.drawing.content.node_problems import problem_colors
from gradviz.drawing.display.cards import (
    card_parts,
    highlight_shapes,
    order_mark,
    placed_text,
    problem_mark,
)
from gradviz.drawing.display.edges import FIXED, LINK, edge_shapes, extended_to, label_parts
from gradviz.drawing.display.frames import frame_depths, frame_shape, frame_title
from gradviz.drawing.display.parts import FramePart, Part, TensorCells, ValuePlane
from gradviz.drawing.geometry.box_geometry import GraphGeometry, has_order_mark
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.model.arrays import FloatArray

_TITLES = "titles"


@dataclass(frozen=True, slots=True, eq=False)
class DisplayGroup:
    """Parts that belong together; one object for all states in which they look the same.

    Attributes:
        name: Names it in all states: the id of its frame, edge or box, or what it adds to one.
        parts: The parts, in drawing order.
        look: Kind and status of a frame, edge or box; empty for what only surrounds or marks one.
    """

    name: str
    parts: tuple[FramePart, ...]
    look: str = ""


class GraphDisplay:
    """A graph of a trace with the same boxes and curves at each step.

    Attributes:
        index: The trace.
        graph: What is drawn.
        layout: Where it is drawn.
        boxes: Rectangle of each box, by id.
        labels: Rectangle of each edge's label, by id of the edge.
    """

    def __init__(
        self,
        index: TraceIndex,
        graph: DrawnGraph,
        faces: GraphGeometry,
        layout: GraphLayout,
    ) -> None:
        """Set what is drawn."""
        self.index, self.graph, self.layout = index, graph, layout
        self._measure = font_measure()
        ids = [node.id for node in graph.nodes]
        self.boxes = dict(zip(ids, layout.boxes, strict=True))
        self.labels = {graph.edges[at].id: rect for at, rect in layout.labels.items()}
        self._faces = dict(zip(ids, faces.boxes, strict=True))
        self._bars = faces.frames
        self._depths = frame_depths(graph.frames)
        self._groups: dict[tuple[Any, ...], DisplayGroup] = {}

    @cached_property
    def _scales(self) -> dict[int, float]:
        return color_scales(self.index, self.graph.nodes, self.graph.edges)

    def names(self) -> Iterator[str]:
        """The names of all groups there can be, the lowest first."""
        nodes, edges = self.graph.nodes, self.graph.edges
        yield from (frame.id for frame in self.graph.frames)
        yield from (f"halo-{node.id}" for node in nodes)
        yield from (edge.id for edge in edges)
        yield _TITLES
        yield from (node.id for node in nodes)
        yield from (f"label-{edge.id}" for edge in edges)
        yield from (f"mark-{node.id}" for node in nodes)

    def at(self, state: GraphState, hidden: HiddenGraphParts) -> Iterator[DisplayGroup]:
        """Everything in a state: frames, halos, edges, boxes and labels, with marks on top."""
        yield from self._below_boxes(state, hidden)
        yield from self._boxes(state, hidden)
        yield from self._labels(state, hidden)
        for node in self.graph.nodes:
            if node.problem and node.id not in hidden.unmarked_ids:
                yield self._group(hidden, (f"mark-{node.id}",), partial(self._problem, node))

    def _below_boxes(self, state: GraphState, hidden: HiddenGraphParts) -> Iterator[DisplayGroup]:
        graph, group = self.graph, self._group
        for frame, rect, depth in zip(graph.frames, self.layout.frames, self._depths, strict=True):
            yield group(hidden, (frame.id,), partial(_frame, rect, depth), "frame")
        failing = state.failing
        for node, box in zip(graph.nodes, state.boxes, strict=True):
            if box == NOW:
                yield group(
                    hidden, (f"halo-{node.id}", failing), partial(self._halo, node, failing)
                )
        # Current edges come last, on top of the others.
        edges = zip(graph.edges, self.layout.curves, state.edges, strict=True)
        for edge, curve, line in sorted(edges, key=lambda each: each[2] == NOW):
            if not hidden.hides_edge(edge):
                look = edge.kind if edge.kind in FIXED else f"{edge.kind} {STATUSES[line]}"
                draw = partial(self._edge, edge, np.array(curve), line)
                yield group(hidden, (edge.id, line), draw, look)
        if graph.frames:
            yield group(hidden, (_TITLES,), self._titles)

    def _boxes(self, state: GraphState, hidden: HiddenGraphParts) -> Iterator[DisplayGroup]:
        for at, (node, box) in enumerate(zip(self.graph.nodes, state.boxes, strict=True)):
            if at not in hidden.absent:
                seen = box, state.group_progresses.get(at, ""), node.id in hidden.hidden_ids
                key = node.id, *seen, *hidden.drawing_key(node.thumbnail, *node.samples)
                look = f"{node.kind} {STATUSES[box]}"
                yield self._group(hidden, key, partial(self._card, node, *seen), look)

    def _labels(self, state: GraphState, hidden: HiddenGraphParts) -> Iterator[DisplayGroup]:
        for at, text in state.labels.items():
            edge = self.graph.edges[at]
            if not hidden.hides_edge(edge):
                grid, is_now = state.gradients.get(at), state.edges[at] == NOW
                draw = partial(self._label, edge.id, text, grid, is_now)
                tensor = None if grid is None else grid.tensor
                key = f"label-{edge.id}", text, is_now, tensor, *hidden.drawing_key(grid)
                yield self._group(hidden, key, draw)

    def _group(
        self,
        hidden: HiddenGraphParts,
        key: tuple[Any, ...],
        draw: Callable[[], Iterable[Part]],
        look: str = "",
    ) -> DisplayGroup:
        """The group with a name and a state, which is drawn once."""
        if key not in self._groups:
            self._groups[key] = DisplayGroup(key[0], tuple(self._shown(draw(), hidden)), look)
        return self._groups[key]

    def _shown(self, parts: Iterable[Part], hidden: HiddenGraphParts) -> Iterator[FramePart]:
        """Parts with the elements that may be seen."""
        for part in parts:
            if not isinstance(part, TensorCells):
                yield part
            elif part.tensor in hidden.hidden_tensors:
                continue
            elif value := self.index.value(part.tensor):
                # A shared scale would tell how large hidden results are.
                limit = self._scales.get(part.tensor) if hidden.shares_scale else None
                yield ValuePlane(value, part.rect, limit, part.tensor)

    def _titles(self) -> Iterator[Part]:
        for each in zip(self._bars, self.layout.frames, self._depths, strict=True):
            yield from frame_title(*each)

    def _halo(self, node: DrawnNode, failing: bool) -> Iterable[Part]:
        """The highlight around a current box; edges that end there are drawn over it."""
        shape, box = self._faces[node.id].shape, self.boxes[node.id]
        return highlight_shapes("failing" if failing else "now", shape, box)

    def _edge(self, edge: DrawnEdge, points: FloatArray, state: int) -> Iterable[Part]:
        state = FIXED.get(edge.kind, state)
        if state != LINK:
            shape = self._faces[edge.target].shape
            points = extended_to(shape, self.boxes[edge.target], points)
        return edge_shapes(points, state)

    def _card(self, node: DrawnNode, state: int, progress: str, is_hidden: bool) -> Iterator[Part]:
        """A box with the mark of its order; a question mark may replace its contents."""
        face, box = self._faces[node.id], self.boxes[node.id]
        yield from card_parts(
            node,
            face,
            box,
            state,
            measure=self._measure,
            is_hidden=is_hidden,
            brief=self.graph.detail.brief,
        )
        if face.group_progress is not None and progress and not is_hidden:
            yield placed_text(face.group_progress, box, "folded_text", progress)
        if order := self._order(node):
            yield from order_mark(order, box, self._measure).parts

    def _label(
        self, edge: str, text: str, gradient: ElementGrid | None, is_now: bool
    ) -> Iterable[Part]:
        slot, detail = self.labels[edge], self.graph.detail
        return label_parts(text, gradient, slot, detail, self._measure, is_now=is_now)

    def _problem(self, node: DrawnNode) -> Iterable[Part]:
        return problem_mark(
            node.problem,
            problem_colors(node.problem),
            self.boxes[node.id],
            self._measure,
            order=self._order(node),
            brief=self.graph.detail.brief,
        ).parts

    def _order(self, node: DrawnNode) -> int:
        return node.order if has_order_mark(node, self.graph.detail) else 0


def _frame(rect: Rect, depth: int) -> Iterable[Part]:
    return (frame_shape(rect, depth),)

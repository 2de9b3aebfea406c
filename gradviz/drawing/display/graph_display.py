"""The parts of a laid-out graph in each of its states, for exports."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gradviz.drawing.appearance.text_styles import Measure
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_progress import NOW, STATUSES, GraphState
from gradviz.drawing.content.hidden_graph_parts import HiddenGraphParts
from gradviz.drawing.display.cards import (
    card_parts,
    highlight_shapes,
    order_mark,
    placed_text,
    problem_mark,
)
from gradviz.drawing.display.edges import FIXED, LINK, edge_shapes, extended_to, label_parts
from gradviz.drawing.display.frames import frame_depths, frame_shape, frame_title
from gradviz.drawing.display.parts import Part, Shape
from gradviz.drawing.geometry.box_geometry import GraphGeometry, has_order_mark
from gradviz.drawing.graphviz.graph_layout import GraphLayout


@dataclass(frozen=True, slots=True)
class DisplayGroup:
    """Parts that belong together.

    Attributes:
        parts: The parts, in drawing order.
        name: Id of the frame, edge or box; empty for what only surrounds or marks one.
        look: Its kind and status.
    """

    parts: tuple[Part, ...]
    name: str = ""
    look: str = ""


class GraphDisplay:
    """Draws the boxes, edges, labels and frames of a graph."""

    def __init__(
        self, graph: DrawnGraph, faces: GraphGeometry, layout: GraphLayout, measure: Measure
    ) -> None:
        self._graph, self._faces, self._layout, self._measure = graph, faces, layout, measure
        self._nodes = {node.id: node for node in graph.nodes}
        self._depths = frame_depths(graph.frames)

    def at(self, state: GraphState, hidden: HiddenGraphParts) -> Iterator[DisplayGroup]:
        """Everything in a state: frames, halos, edges, boxes and labels, with marks on top."""
        graph = self._graph
        for name, shape in self.frames():
            yield DisplayGroup((shape,), name, "frame")
        now = (node for node, at in zip(graph.nodes, state.boxes, strict=True) if at == NOW)
        halos = (self.halo(node, failing=state.failing) for node in now)
        yield DisplayGroup(tuple(itertools.chain.from_iterable(halos)))
        edges = [*zip(graph.edges, state.edges, strict=True)]
        # Current edges come last, on top of the others.
        for edge, line in sorted(edges, key=lambda each: each[1] == NOW):
            if not hidden.hides_edge(edge):
                look = edge.kind if edge.kind in FIXED else f"{edge.kind} {STATUSES[line]}"
                yield DisplayGroup(tuple(self.edge(edge, line)), edge.id, look)
        yield DisplayGroup(tuple(self.titles()))
        for at, node in enumerate(graph.nodes):
            if at not in hidden.absent:
                box, progress = state.boxes[at], state.group_progresses.get(at, "")
                is_hidden = node.id in hidden.hidden_ids
                card = tuple(self.card(node, box, progress, is_hidden=is_hidden))
                yield DisplayGroup(card, node.id, f"{node.kind} {STATUSES[box]}")
        for at, text in state.labels.items():
            edge, line = edges[at]
            if hidden.hides_edge(edge):
                continue
            gradient = state.gradients.get(at)
            yield DisplayGroup(tuple(self.label(edge.id, text, gradient, is_now=line == NOW)))
        for node in graph.nodes:
            if node.problem and node.id not in hidden.unmarked_ids:
                yield DisplayGroup(self.problem(node))

    def frames(self) -> Iterator[tuple[str, Shape]]:
        """Id and background of each frame, outer ones first."""
        for frame, depth in zip(self._graph.frames, self._depths, strict=True):
            yield frame.id, frame_shape(self._layout.frames[frame.id], depth)

    def titles(self) -> Iterator[Part]:
        """The titles of all frames."""
        for frame, depth in zip(self._graph.frames, self._depths, strict=True):
            yield from frame_title(
                self._faces.frames[frame.id], self._layout.frames[frame.id], depth
            )

    def halo(self, node: DrawnNode, *, failing: bool) -> tuple[Shape, ...]:
        """The highlight around a current box; edges that end there are drawn over it."""
        shape, box = self._faces.boxes[node.id].shape, self._layout.boxes[node.id]
        return highlight_shapes("failing" if failing else "now", shape, box)

    def edge(self, edge: DrawnEdge, state: int) -> Iterator[Shape]:
        """An edge in a state."""
        state = FIXED.get(edge.kind, state)
        points = np.array(self._layout.curves[edge.id])
        target = self._nodes[edge.target]
        if state != LINK:
            shape = self._faces.boxes[target.id].shape
            points = extended_to(shape, self._layout.boxes[target.id], points)
        return edge_shapes(points, state)

    def card(
        self,
        node: DrawnNode,
        state: int,
        progress: str = "",
        *,
        is_hidden: bool = False,
    ) -> Iterator[Part]:
        """A box with the mark of its order.

        Args:
            node: Its contents.
            state: Its progress.
            progress: Progress text of a folded group.
            is_hidden: Whether a question mark replaces its contents.
        """
        face, box = self._faces.boxes[node.id], self._layout.boxes[node.id]
        yield from card_parts(
            node,
            face,
            box,
            state,
            measure=self._measure,
            is_hidden=is_hidden,
            brief=self._graph.detail.brief,
        )
        if face.group_progress is not None and progress and not is_hidden:
            yield placed_text(face.group_progress, box, "folded_text", progress)
        if order := self._order(node):
            yield from order_mark(order, box, self._measure).parts

    def label(
        self, edge: str, text: str, gradient: ElementGrid | None, *, is_now: bool
    ) -> Iterator[Part]:
        """The label of an edge."""
        return label_parts(
            text,
            gradient,
            self._layout.labels[edge],
            self._graph.detail,
            self._measure,
            is_now=is_now,
        )

    def problem(self, node: DrawnNode) -> tuple[Part, ...]:
        """The mark of a box's problem."""
        return problem_mark(
            node.problem,
            self._layout.boxes[node.id],
            self._measure,
            order=self._order(node),
            brief=self._graph.detail.brief,
        ).parts

    def _order(self, node: DrawnNode) -> int:
        return node.order if has_order_mark(node, self._graph.detail) else 0

"""The laid-out graph as plain values: boxes and curves, computed in the background."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF

from gradviz.analysis.index.step_queries import node_at_step, pass_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import (
    FULL,
    DrawingDetail,
    DrawnEdge,
    DrawnFrame,
    DrawnGraph,
    DrawnNode,
)
from gradviz.drawing.geometry.box_geometry import BoxGeometry, FrameGeometry, GraphGeometry
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.model.arrays import FloatArray


def box_of(picture: GraphPicture, node: int | None) -> int | None:
    """Box of a node: its own, else that of its group, leaf or saved tensors; or None."""
    found = None
    for at, drawn in enumerate(picture.nodes):
        if drawn.id == f"n{node}":
            return at
        if found is None and node in drawn.nodes:
            found = at
    return found


UNMARKED = frozenset(("saved", "output", "cut", "dead_end"))
"""Kinds of boxes that get no marks of nodes."""


def boxes_of(picture: GraphPicture, nodes: frozenset[int]) -> frozenset[int]:
    """Boxes of any of the nodes, excluding saved tensors, outputs, cuts and dead ends."""
    if not nodes:
        return frozenset()
    return frozenset(
        at
        for at, drawn in enumerate(picture.nodes)
        if drawn.kind not in UNMARKED and not nodes.isdisjoint(drawn.nodes)
    )


def node_to_select(index: TraceIndex, drawn: DrawnNode, number: int) -> int:
    """Node to select for a card; for a closed group, it depends on the step.

    It is the current node if the group contains it, else where the current phase (forward or
    backward) enters the group.
    """
    if not drawn.group:
        return drawn.nodes[0]
    now = node_at_step(index, number)
    if now is not None and now in drawn.nodes:
        return now
    if pass_at(index, number) is not None:
        return drawn.nodes[0]
    return next((node for node in reversed(drawn.nodes) if node in index.made_at), drawn.nodes[0])


# eq=False here and below: comparing arrays has no single truth value and would raise.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphCurve:
    """One line of the graph.

    Attributes:
        source: Index of the box at its start; gradients flow from source to target.
        target: Index of the box at its end.
        edge: The drawn edge.
        points: ``[1 + 3 k, 2]``: start, then control, control, end for each cubic segment.
        label: Space for its label: x, y, width, height; or None.
    """

    source: int
    target: int
    edge: DrawnEdge
    points: FloatArray
    label: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphFrame:
    """A frame around the boxes of an open group.

    Attributes:
        drawn: Contents of the frame's title.
        face: Layout of its title bar.
        box: x, y, width, height.
    """

    drawn: DrawnFrame
    face: FrameGeometry
    box: tuple[float, float, float, float]

    @property
    def bar(self) -> QRectF:
        """Rectangle of the title bar."""
        return QRectF(self.box[0], self.box[1], self.box[2], self.face.height)

    @property
    def sign(self) -> QRectF:
        """Rectangle of the close button."""
        sign = self.face.sign
        return QRectF(self.box[0] + sign.x, self.box[1] + sign.y, sign.width, sign.height)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphPicture:
    """A laid-out graph; one unit is one point at 100%, y grows downward.

    Attributes:
        nodes: Contents of the boxes.
        faces: Layout of the contents within each box.
        boxes: ``[nodes, 4]``: x, y, width, height.
        curves: Lines between the boxes.
        total: Number of grad_fn nodes in the trace.
        folded: Number of those hidden in closed groups.
        frames: Frames around open groups, each after the frame that contains it.
        detail: How much the boxes show.
    """

    nodes: tuple[DrawnNode, ...]
    faces: tuple[BoxGeometry, ...]
    boxes: FloatArray
    curves: tuple[GraphCurve, ...]
    total: int = 0
    folded: int = 0
    frames: tuple[GraphFrame, ...] = ()
    detail: DrawingDetail = FULL

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of everything; zeros for an empty picture."""
        if len(self.boxes) == 0:
            return (0.0, 0.0, 0.0, 0.0)
        # A label beside the outermost line is often the outermost part.
        areas = np.concatenate([self.boxes, frame_boxes(self), label_boxes(self)[0]])
        ends = [areas[:, :2], areas[:, :2] + areas[:, 2:]]
        points = np.concatenate([*ends, *(_on_curve(curve.points) for curve in self.curves)])
        left, top = points.min(axis=0)
        right, bottom = points.max(axis=0)
        return (float(left), float(top), float(right), float(bottom))


def picture_of(graph: DrawnGraph, faces: GraphGeometry, layout: GraphLayout) -> GraphPicture:
    """Combine the drawn graph, its faces and its layout into a picture."""
    at = {node.id: number for number, node in enumerate(graph.nodes)}
    curves = tuple(
        GraphCurve(
            source=at[edge.source],
            target=at[edge.target],
            edge=edge,
            points=np.array(points),
            label=_numbers(layout.labels[number]) if number in layout.labels else None,
        )
        for number, (edge, points) in enumerate(zip(graph.edges, layout.curves, strict=True))
    )
    boxes = [_numbers(rect) for rect in layout.boxes]
    return GraphPicture(
        nodes=graph.nodes,
        faces=faces.boxes,
        # Without boxes, `np.array` would have shape [0] instead of [0, 4].
        boxes=np.array(boxes).reshape(-1, 4),
        curves=curves,
        total=graph.total,
        folded=graph.folded,
        detail=graph.detail,
        frames=tuple(
            GraphFrame(drawn=frame, face=face, box=_numbers(rect))
            for frame, face, rect in zip(graph.frames, faces.frames, layout.frames, strict=True)
        ),
    )


def frames_around(picture: GraphPicture, box: int | None) -> tuple[GraphFrame, ...]:
    """Frames that contain a box, outermost first."""
    by_id = {frame.drawn.id: frame for frame in picture.frames}
    found: list[GraphFrame] = []
    at = by_id.get("" if box is None else picture.nodes[box].frame)
    while at is not None:
        found.append(at)
        at = by_id.get(at.drawn.parent)
    return tuple(reversed(found))


def frame_boxes(picture: GraphPicture) -> FloatArray:
    """``[frames, 4]``: x, y, width and height of each frame."""
    return np.array([frame.box for frame in picture.frames]).reshape(-1, 4)


def bar_boxes(picture: GraphPicture) -> FloatArray:
    """``[frames, 4]``: x, y, width and height of each frame's title bar."""
    bars = [(*frame.box[:3], frame.face.height) for frame in picture.frames]
    return np.array(bars).reshape(-1, 4)


def _numbers(rect: Rect) -> tuple[float, float, float, float]:
    return rect.x, rect.y, rect.width, rect.height


def _on_curve(points: FloatArray) -> FloatArray:
    """Ends and middles of a curve's segments; control points can be far outside."""
    low, first, second, high = (points[at::3] for at in range(4))
    count = len(high)
    middles = (low[:count] + 3 * first + 3 * second + high) / 8
    return np.concatenate([low, middles])


def label_boxes(picture: GraphPicture) -> tuple[FloatArray, list[int]]:
    """Label rectangles ``[n, 4]``, and the index of each one's line."""
    found = [(curve.label, at) for at, curve in enumerate(picture.curves) if curve.label]
    boxes = np.array([box for box, _ in found]).reshape(-1, 4)
    return boxes, [at for _, at in found]


def bounding_boxes(curves: tuple[GraphCurve, ...]) -> FloatArray:
    """``[curves, 4]``: x, y, width and height of each curve's control points."""
    if not curves:
        return np.zeros((0, 4))
    low = np.array([curve.points.min(axis=0) for curve in curves])
    high = np.array([curve.points.max(axis=0) for curve in curves])
    return np.concatenate([low, high - low], axis=1)

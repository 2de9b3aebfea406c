"""The laid-out graph as plain values: boxes and curves, computed in the background."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF

from gradviz.drawing.drawn import DrawnEdge, DrawnFrame, DrawnGraph, DrawnNode
from gradviz.drawing.face import Face, Faces
from gradviz.drawing.frame_face import FrameFace
from gradviz.drawing.layout import Layout
from gradviz.drawing.placed import Rect

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
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
    points: Floats
    label: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PictureFrame:
    """A frame around the boxes of an open group.

    Attributes:
        drawn: Contents of the frame's title.
        face: Layout of its title bar.
        box: x, y, width, height.
    """

    drawn: DrawnFrame
    face: FrameFace
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
class Picture:
    """A laid-out graph; one unit is one point at 100 %, y grows downward.

    Attributes:
        nodes: Contents of the boxes.
        faces: Layout of the contents within each box.
        boxes: ``[nodes, 4]``: x, y, width, height.
        curves: Lines between the boxes.
        total: Number of grad_fn nodes in the trace.
        folded: Number of those hidden in closed groups.
        frames: Frames around open groups, each after the frame that contains it.
    """

    nodes: tuple[DrawnNode, ...]
    faces: tuple[Face, ...]
    boxes: Floats
    curves: tuple[Curve, ...]
    total: int = 0
    folded: int = 0
    frames: tuple[PictureFrame, ...] = ()

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of everything; zeros for an empty picture."""
        if len(self.boxes) == 0:
            return (0.0, 0.0, 0.0, 0.0)
        areas = np.concatenate([self.boxes, frame_boxes(self)])
        ends = [areas[:, :2], areas[:, :2] + areas[:, 2:]]
        points = np.concatenate([*ends, *(curve.points for curve in self.curves)])
        left, top = points.min(axis=0)
        right, bottom = points.max(axis=0)
        return (float(left), float(top), float(right), float(bottom))


def picture_of(graph: DrawnGraph, faces: Faces, layout: Layout) -> Picture:
    """Combine the drawn graph, its faces and its layout into a picture."""
    at = {node.id: number for number, node in enumerate(graph.nodes)}
    curves = tuple(
        Curve(
            source=at[edge.source],
            target=at[edge.target],
            edge=edge,
            points=np.array(layout.curves[edge.id]),
            label=_numbers(layout.labels[edge.id]) if edge.id in layout.labels else None,
        )
        for edge in graph.edges
    )
    boxes = [_numbers(layout.boxes[node.id]) for node in graph.nodes]
    return Picture(
        nodes=graph.nodes,
        faces=tuple(faces.boxes[node.id] for node in graph.nodes),
        boxes=np.array(boxes).reshape(-1, 4),
        curves=curves,
        total=graph.total,
        folded=graph.folded,
        frames=tuple(
            PictureFrame(
                drawn=frame, face=faces.frames[frame.id], box=_numbers(layout.frames[frame.id])
            )
            for frame in graph.frames
        ),
    )


def frames_around(picture: Picture, box: int | None) -> tuple[PictureFrame, ...]:
    """Frames that contain a box, outermost first."""
    by_id = {frame.drawn.id: frame for frame in picture.frames}
    found: list[PictureFrame] = []
    at = by_id.get("" if box is None else picture.nodes[box].frame)
    while at is not None:
        found.append(at)
        at = by_id.get(at.drawn.parent)
    return tuple(reversed(found))


def frame_boxes(picture: Picture) -> Floats:
    """``[frames, 4]``: x, y, width and height of each frame."""
    return np.array([frame.box for frame in picture.frames]).reshape(-1, 4)


def bar_boxes(picture: Picture) -> Floats:
    """``[frames, 4]``: x, y, width and height of each frame's title bar."""
    bars = [(*frame.box[:3], frame.face.height) for frame in picture.frames]
    return np.array(bars).reshape(-1, 4)


def frame_depths(picture: Picture) -> list[int]:
    """Nesting depth of each frame, 0 for the outermost."""
    depth: dict[str, int] = {"": -1}
    for frame in picture.frames:
        depth[frame.drawn.id] = depth[frame.drawn.parent] + 1
    return [depth[frame.drawn.id] for frame in picture.frames]


def _numbers(rect: Rect) -> tuple[float, float, float, float]:
    return rect.x, rect.y, rect.width, rect.height


def label_boxes(picture: Picture) -> tuple[Floats, list[int]]:
    """Label rectangles ``[n, 4]``, and the index of each one's line."""
    found = [(curve.label, at) for at, curve in enumerate(picture.curves) if curve.label]
    boxes = np.array([box for box, _ in found]).reshape(-1, 4)
    return boxes, [at for _, at in found]


def bounding_boxes(curves: tuple[Curve, ...]) -> Floats:
    """``[curves, 4]``: x, y, width and height of each curve's control points."""
    if not curves:
        return np.zeros((0, 4))
    low = np.array([curve.points.min(axis=0) for curve in curves])
    high = np.array([curve.points.max(axis=0) for curve in curves])
    return np.concatenate([low, high - low], axis=1)

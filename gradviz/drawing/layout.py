"""Where everything of a picture is: boxes, curves and labels, read from Graphviz's JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradviz.drawing.placed import Rect

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A laid-out picture, in points, y downwards, from (0, 0) to (width, height).

    Attributes:
        width: Of the whole picture.
        height: Of the whole picture.
        boxes: By id of the box.
        curves: By id of the edge: 1 + 3n points from source to target; the first is the start,
            then two control points and an end for each of the n cubic Bezier pieces.
        labels: Room for the label of an edge, by id of the edge.
        frames: By id of the frame.
    """

    width: float
    height: float
    boxes: dict[str, Rect]
    curves: dict[str, tuple[Point, ...]]
    labels: dict[str, Rect]
    frames: dict[str, Rect] = field(default_factory=dict)


def read_layout(
    text: bytes, sizes: dict[str, tuple[float, float]], room: dict[str, tuple[float, float]]
) -> Layout:
    """Reads what ``dot -Tjson0`` gives.

    Args:
        text: The JSON.
        sizes: Width and height of each box that was asked for, by id.
        room: Width and height of each label that was asked for, by id of its edge.

    Raises:
        ValueError: If it is no layout, or lacks a box, a curve or a label.
    """
    try:
        return _read(json.loads(text), sizes, room)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"no layout: {type(error).__name__}: {error}") from error


def _read(
    graph: dict[str, Any],
    sizes: dict[str, tuple[float, float]],
    room: dict[str, tuple[float, float]],
) -> Layout:
    left, bottom, right, top = _numbers(graph["bb"])

    def flip(x: float, y: float) -> Point:
        return x - left, top - y

    centres = {
        each["name"]: flip(*_numbers(each["pos"])) for each in graph["objects"] if "pos" in each
    }
    edges = {each["id"]: each for each in graph.get("edges", ()) if "id" in each}
    return Layout(
        width=right - left,
        height=top - bottom,
        boxes={id: _around(centres[id], size) for id, size in sizes.items()},
        curves={
            id: tuple(flip(*_numbers(pair)) for pair in edge["pos"].split())
            for id, edge in edges.items()
            if edge.get("style") != "invis"
        },
        labels={id: _around(flip(*_numbers(edges[id]["lp"])), size) for id, size in room.items()},
        frames={
            each["name"].removeprefix("cluster_"): _between(_numbers(each["bb"]), flip)
            for each in graph["objects"]
            if each["name"].startswith("cluster_")
        },
    )


def _between(bounds: Sequence[float], flip: Callable[[float, float], Point]) -> Rect:
    left, bottom, right, top = bounds
    x, y = flip(left, top)
    return Rect(x=x, y=y, width=right - left, height=top - bottom)


def _numbers(text: str) -> Sequence[float]:
    values = [float(each) for each in text.split(",")]
    if not all(map(math.isfinite, values)):
        raise ValueError(f"no finite numbers: {text[:80]!r}")
    return values


def _around(centre: Point, size: tuple[float, float]) -> Rect:
    width, height = size
    return Rect(x=centre[0] - width / 2, y=centre[1] - height / 2, width=width, height=height)

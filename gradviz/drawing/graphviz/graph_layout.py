"""Positions of boxes, curves and labels, read from Graphviz's JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradviz.catalogue.messages import say
from gradviz.drawing.geometry.rect import Rect

TURNED = "gradviz_turned"
"""Attribute of an edge that is written from target to source, so that it leads downwards."""

LayoutPoint = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLayout:
    """A laid-out drawing, in points, y downwards, from (0, 0) to (width, height).

    Attributes:
        width: Width of the whole drawing.
        height: Height of the whole drawing.
        boxes: Rectangle by box id.
        curves: By edge id: 1 + 3n points from source to target; the first is the start, then two
            control points and an end for each of the n cubic Bezier pieces.
        labels: Rectangle of an edge's label by edge id.
        frames: Rectangle by frame id.
    """

    width: float
    height: float
    boxes: dict[str, Rect]
    curves: dict[str, tuple[LayoutPoint, ...]]
    labels: dict[str, Rect]
    frames: dict[str, Rect] = field(default_factory=dict)


def split_layouts(output: bytes) -> list[bytes]:
    """Split the output of ``dot -Tjson0`` for several graphs; garbage becomes the last part."""
    text, decoder = output.decode("utf-8", "replace").strip(), json.JSONDecoder()
    found: list[bytes] = []
    while text:
        try:
            _, end = decoder.raw_decode(text)
        except ValueError:
            end = len(text)
        found.append(text[:end].encode("utf-8"))
        text = text[end:].lstrip()
    return found


def read_layout(
    text: bytes, sizes: dict[str, tuple[float, float]], label_sizes: dict[str, tuple[float, float]]
) -> GraphLayout:
    """Read the output of ``dot -Tjson0``.

    Args:
        text: The JSON.
        sizes: Requested width and height of each box, by id.
        label_sizes: Requested width and height of each edge's label, by edge id.

    Raises:
        ValueError: If it is not a layout, or lacks a box, a curve or a label.
    """
    try:
        return _read(json.loads(text), sizes, label_sizes)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(say("layout.invalid", error=f"{type(error).__name__}: {error}")) from error


def _read(
    graph: dict[str, Any],
    sizes: dict[str, tuple[float, float]],
    label_sizes: dict[str, tuple[float, float]],
) -> GraphLayout:
    left, bottom, right, top = _numbers(graph["bb"])

    def flip(x: float, y: float) -> LayoutPoint:
        return x - left, top - y

    centres = {
        each["name"]: flip(*_numbers(each["pos"])) for each in graph["objects"] if "pos" in each
    }
    edges = {each["id"]: each for each in graph.get("edges", ()) if "id" in each}
    return GraphLayout(
        width=right - left,
        height=top - bottom,
        boxes={id: _centred_rect(centres[id], size) for id, size in sizes.items()},
        curves={
            id: tuple(
                flip(*_numbers(pair))
                for pair in edge["pos"].split()[:: -1 if edge.get(TURNED) else 1]
            )
            for id, edge in edges.items()
            if edge.get("style") != "invis"
        },
        labels={
            id: _centred_rect(flip(*_numbers(edges[id]["lp"])), size)
            for id, size in label_sizes.items()
        },
        frames={
            each["name"].removeprefix("cluster_"): _between(_numbers(each["bb"]), flip)
            for each in graph["objects"]
            if each["name"].startswith("cluster_")
        },
    )


def _between(bounds: Sequence[float], flip: Callable[[float, float], LayoutPoint]) -> Rect:
    left, bottom, right, top = bounds
    x, y = flip(left, top)
    return Rect(x=x, y=y, width=right - left, height=top - bottom)


def _numbers(text: str) -> Sequence[float]:
    values = [float(each) for each in text.split(",")]
    # `float` accepts nan and inf, which would break every later computation with the position.
    if not all(map(math.isfinite, values)):
        raise ValueError(say("layout.not_finite", text=repr(text[:80])))
    return values


def _centred_rect(centre: LayoutPoint, size: tuple[float, float]) -> Rect:
    width, height = size
    return Rect(x=centre[0] - width / 2, y=centre[1] - height / 2, width=width, height=height)

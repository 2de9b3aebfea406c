"""Positions of boxes, curves and labels, read from Graphviz's JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradviz.catalogue.messages import say
from gradviz.drawing.geometry.rect import Point, Rect

TURNED = "gradviz_turned"
"""Attribute of an edge that is written from target to source, so that it leads downwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLayout:
    """A laid-out drawing, in points, y downwards, from (0, 0) to (width, height).

    Everything is in the order of the drawing, whose names it does not know: drawings of equal
    structure, such as those of two iterations, have equal layouts.

    Attributes:
        width: Width of the whole drawing.
        height: Height of the whole drawing.
        boxes: Rectangle of each box.
        curves: Of each edge 1 + 3n points from source to target; the first is the start, then two
            control points and an end for each of the n cubic Bezier pieces.
        labels: Rectangle of an edge's label by position of the edge.
        frames: Rectangle of each frame.
    """

    width: float
    height: float
    boxes: tuple[Rect, ...]
    curves: tuple[tuple[Point, ...], ...]
    labels: dict[int, Rect]
    frames: tuple[Rect, ...] = ()


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
    text: bytes,
    sizes: Sequence[tuple[float, float]],
    label_sizes: Mapping[int, tuple[float, float]],
) -> GraphLayout:
    """Read the output of ``dot -Tjson0`` for a source from `dot_source`.

    Args:
        text: The JSON.
        sizes: Requested width and height of each box.
        label_sizes: Requested width and height of each edge's label, by position of the edge.

    Raises:
        ValueError: If it is not a layout, or lacks a box or a label.
    """
    try:
        return _read(json.loads(text), sizes, label_sizes)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(say("layout.invalid", error=f"{type(error).__name__}: {error}")) from error


def _read(
    graph: dict[str, Any],
    sizes: Sequence[tuple[float, float]],
    label_sizes: Mapping[int, tuple[float, float]],
) -> GraphLayout:
    left, bottom, right, top = _numbers(graph["bb"])

    def flip(x: float, y: float) -> Point:
        return x - left, top - y

    centres = {
        each["name"]: flip(*_numbers(each["pos"])) for each in graph["objects"] if "pos" in each
    }
    edges = {int(each["id"][1:]): each for each in graph.get("edges", ()) if "id" in each}
    clusters = {
        int(each["name"].removeprefix("cluster_f")): _numbers(each["bb"])
        for each in graph["objects"]
        if each["name"].startswith("cluster_")
    }
    return GraphLayout(
        width=right - left,
        height=top - bottom,
        boxes=tuple([_centred_rect(centres[f"n{at}"], size) for at, size in enumerate(sizes)]),
        curves=tuple(
            tuple(
                flip(*_numbers(pair))
                for pair in edge["pos"].split()[:: -1 if edge.get(TURNED) else 1]
            )
            for _, edge in sorted(edges.items())
        ),
        labels={
            at: _centred_rect(flip(*_numbers(edges[at]["lp"])), size)
            for at, size in label_sizes.items()
        },
        frames=tuple(_between(bounds, flip) for _, bounds in sorted(clusters.items())),
    )


def _between(bounds: Sequence[float], flip: Callable[[float, float], Point]) -> Rect:
    left, bottom, right, top = bounds
    x, y = flip(left, top)
    return Rect(x=x, y=y, width=right - left, height=top - bottom)


def _numbers(text: str) -> Sequence[float]:
    values = [float(each) for each in text.split(",")]
    # `float` accepts nan and inf, which would break every later computation with the position.
    if not all(map(math.isfinite, values)):
        raise ValueError(say("layout.not_finite", text=repr(text[:80])))
    return values


def _centred_rect(centre: Point, size: tuple[float, float]) -> Rect:
    width, height = size
    return Rect(x=centre[0] - width / 2, y=centre[1] - height / 2, width=width, height=height)

"""Drawings of equal structure, such as those of two iterations, have equal layouts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.geometry.box_geometry import GraphGeometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_engine import LayoutRequest

T = TypeVar("T")
Names = Mapping[str, str]


def numbered_names(graph: DrawnGraph) -> Names:
    """Names of the boxes, edges and frames of a drawing that only their order decides."""
    found = {"": ""}
    found |= {node.id: f"n{at}" for at, node in enumerate(graph.nodes)}
    found |= {edge.id: f"e{at}" for at, edge in enumerate(graph.edges)}
    found |= {frame.id: f"f{at}" for at, frame in enumerate(graph.frames)}
    return found


def renamed_request(request: LayoutRequest, names: Names) -> LayoutRequest:
    """A drawing with other names, whose source is the same for all of equal structure and sizes."""
    graph, faces, style = request
    return (
        replace(
            graph,
            nodes=tuple(
                [replace(each, id=names[each.id], frame=names[each.frame]) for each in graph.nodes]
            ),
            edges=tuple(
                [
                    replace(
                        each,
                        id=names[each.id],
                        source=names[each.source],
                        target=names[each.target],
                        head=names[each.head],
                    )
                    for each in graph.edges
                ]
            ),
            frames=tuple(
                [
                    replace(each, id=names[each.id], parent=names[each.parent])
                    for each in graph.frames
                ]
            ),
        ),
        GraphGeometry(
            boxes=_renamed(faces.boxes, names),
            labels=_renamed(faces.labels, names),
            frames=_renamed(faces.frames, names),
        ),
        style,
    )


def renamed_layout(layout: GraphLayout, names: Names) -> GraphLayout:
    """A layout with other names."""
    return replace(
        layout,
        boxes=_renamed(layout.boxes, names),
        curves=_renamed(layout.curves, names),
        labels=_renamed(layout.labels, names),
        frames=_renamed(layout.frames, names),
    )


def own_names(names: Names) -> Names:
    """The way back from `numbered_names`."""
    return {number: own for own, number in names.items()}


def _renamed(values: Mapping[str, T], names: Names) -> dict[str, T]:
    return {names[name]: value for name, value in values.items()}

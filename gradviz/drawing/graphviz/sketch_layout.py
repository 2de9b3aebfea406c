"""Lays out the graph of a run for a picture that has no room for texts."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import BRIEF_DETAILS, DrawnGraph, TooLarge
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.node_problems import NodeProblems
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_dot import LayoutStyle
from gradviz.drawing.graphviz.layout_engine import lay_out_all
from gradviz.model.graph_sketch import SKETCH_SIZE, GraphSketch, SketchBox

_STYLES = (LayoutStyle(tight=True), LayoutStyle(tight=True, horizontal=True))

_MOST_STRETCHED = 2.0
"""How much more a picture may be scaled along one axis than along the other, to fill its area."""


def graph_sketch(index: TraceIndex) -> GraphSketch:
    """Lay out the graph of a run in the least detail; without boxes if it has none or too many.

    Raises:
        LayoutError: If the layout failed.
    """
    # Problems are not shown, and to find them would read the elements of all tensors.
    graph = drawn_graph(index, node_problems=NodeProblems(of={}), detail=BRIEF_DETAILS[-1])
    if isinstance(graph, TooLarge) or not graph.nodes:
        return GraphSketch()
    faces = graph_geometry(graph, font_measure())
    layouts = lay_out_all([(graph, faces, style) for style in _STYLES])
    sketches = [_boxes(graph, layout) for layout in layouts]
    # The one with the largest boxes.
    boxes = max(sketches, key=lambda each: min(box.width * box.height for box in each))
    return GraphSketch(boxes=boxes, lines=_lines(graph))


def _boxes(graph: DrawnGraph, layout: GraphLayout) -> tuple[SketchBox, ...]:
    """Scale the boxes to the area, without the room for labels around them."""
    rects = layout.boxes
    left, top = min(each.x for each in rects), min(each.y for each in rects)
    width = max(each.right for each in rects) - left
    height = max(each.bottom for each in rects) - top
    across, down = SKETCH_SIZE[0] / width, SKETCH_SIZE[1] / height
    most = min(across, down) * _MOST_STRETCHED
    across, down = min(across, most), min(down, most)
    left -= (SKETCH_SIZE[0] / across - width) / 2
    top -= (SKETCH_SIZE[1] / down - height) / 2
    return tuple(
        SketchBox(
            kind=node.kind,
            x=round((rect.x - left) * across),
            y=round((rect.y - top) * down),
            width=round(rect.width * across),
            height=round(rect.height * down),
        )
        for node, rect in zip(graph.nodes, rects, strict=True)
    )


def _lines(graph: DrawnGraph) -> tuple[tuple[int, int], ...]:
    places = {node.id: place for place, node in enumerate(graph.nodes)}
    return tuple(sorted({(places[each.source], places[each.target]) for each in graph.edges}))

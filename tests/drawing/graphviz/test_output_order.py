"""The iterations of a training stand side by side in the order of the run."""

from __future__ import annotations

from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode, EdgeKind
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.layout_dot import LayoutStyle
from gradviz.drawing.graphviz.layout_engine import lay_out_all

COUNT = 5


def test_iterations_are_placed_in_their_order():
    outputs = [f"o{at}" for at in range(COUNT)]
    boxes = [DrawnNode(id=each, kind="output", nodes=(), title="loss") for each in outputs]
    boxes += [DrawnNode(id=f"n{at}", kind="builtin", nodes=(at,), title="M") for at in range(COUNT)]
    boxes += [DrawnNode(id=name, kind="leaf", nodes=(), title=name) for name in ("weight", "bias")]

    def edge(kind: EdgeKind, source: str, target: str) -> DrawnEdge:
        return DrawnEdge(id=f"{source}-{target}", kind=kind, source=source, target=target)

    edges = [edge("root", f"o{at}", f"n{at}") for at in range(COUNT)]
    # Fewest lines cross if the first and the last iteration stand side by side.
    edges += [edge("leaf", f"n{at}", "weight") for at in (0, COUNT - 1)]
    edges += [edge("leaf", f"n{at}", "bias") for at in range(1, COUNT - 1)]
    graph = DrawnGraph(nodes=tuple(boxes), edges=tuple(edges), total=COUNT, folded=0)
    faces = graph_geometry(graph, font_measure())
    styles = [LayoutStyle(), LayoutStyle(horizontal=True)]
    upward, sideways = lay_out_all([(graph, faces, style) for style in styles])
    assert sorted(outputs, key=lambda each: upward.boxes[each].x) == outputs
    assert sorted(outputs, key=lambda each: sideways.boxes[each].y) == outputs
    assert len({upward.boxes[each].y for each in outputs}) == 1

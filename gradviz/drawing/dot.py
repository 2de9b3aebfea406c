"""A picture as DOT for Graphviz's layout: ids and numbers of ours only, no text from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.drawing.drawn import DrawnEdge, DrawnGraph
from gradviz.drawing.face import Faces

if TYPE_CHECKING:
    import graphviz

POINTS_PER_INCH = 72


def dot_source(graph: DrawnGraph, faces: Faces) -> str:
    """Writes the DOT whose layout is read by `read_layout`.

    Gradients flow upwards: outputs at the bottom, leaves at the top. Graphviz measures no text;
    every box and every label has the size that it is told.
    """
    # Not with this module: the package takes its time, and the window comes first.
    import graphviz

    dot = graphviz.Digraph(
        "picture",
        graph_attr={"rankdir": "BT", "nodesep": "0.4", "ranksep": "0.38", "margin": "0"},
        node_attr={"shape": "box", "label": "", "fixedsize": "true"},
        edge_attr={"arrowhead": "none"},
    )
    for node in graph.nodes:
        face = faces.boxes[node.id]
        dot.node(node.id, width=_inches(face.width), height=_inches(face.height))
    for edge in graph.edges:
        if edge.kind == "saved":
            _beside(dot, edge)
        else:
            dot.edge(edge.source, edge.target, **_attributes(edge, faces))
    return str(dot.source)


def _attributes(edge: DrawnEdge, faces: Faces) -> dict[str, str]:
    attributes = {"id": edge.id}
    if edge.kind in ("leaf", "root"):
        # Leaf and AccumulateGrad, output and its node, belong together: straight and short.
        attributes["weight"] = "8"
    room = faces.labels.get(edge.id)
    if room is not None:
        # An edge's label has no fixedsize; an empty table of fixed size does the same.
        size = f'FIXEDSIZE="TRUE" WIDTH="{room[0]:.0f}" HEIGHT="{room[1]:.0f}"'
        attributes["label"] = f'<<TABLE BORDER="0" {size}><TR><TD></TD></TR></TABLE>>'
    return attributes


def _beside(dot: graphviz.Digraph, edge: DrawnEdge) -> None:
    with dot.subgraph() as same:
        same.attr(rank="same")
        same.edge(edge.source, edge.target, id=edge.id, minlen="1")


def _inches(points: float) -> str:
    return f"{points / POINTS_PER_INCH:.6f}"

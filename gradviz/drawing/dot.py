"""A picture as DOT for Graphviz's layout: ids and numbers of ours only, no text from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.drawing.drawn import DrawnEdge, DrawnFrame, DrawnGraph
from gradviz.drawing.face import Faces
from gradviz.drawing.frame_face import MARGIN

if TYPE_CHECKING:
    import graphviz

POINTS_PER_INCH = 72
_GRAPH = {"rankdir": "BT", "nodesep": "0.4", "ranksep": "0.38", "margin": "0"}


def dot_source(graph: DrawnGraph, faces: Faces) -> str:
    """Writes the DOT whose layout is read by `read_layout`.

    Gradients flow upwards: outputs at the bottom, leaves at the top. Graphviz measures no text;
    every box and every label has the size that it is told.
    """
    # Not with this module: the package takes its time, and the window comes first.
    import graphviz

    dot = graphviz.Digraph(
        "picture",
        graph_attr=_GRAPH | ({"compound": "true"} if any(e.head for e in graph.edges) else {}),
        node_attr={"shape": "box", "label": "", "fixedsize": "true"},
        edge_attr={"arrowhead": "none"},
    )
    parts = {"": dot} | {frame.id: _cluster(frame, faces) for frame in graph.frames}
    frames = {node.id: node.frame for node in graph.nodes}
    for node in graph.nodes:
        face = faces.boxes[node.id]
        size = {"width": _inches(face.width), "height": _inches(face.height)}
        parts[node.frame].node(node.id, **size)
    for edge in graph.edges:
        if edge.kind == "saved" and frames[edge.source]:
            _beside(parts[frames[edge.source]], edge)
    for frame in reversed(graph.frames):
        parts[frame.parent].subgraph(parts[frame.id])
    for edge in graph.edges:
        if edge.kind != "saved":
            dot.edge(edge.source, edge.target, **_attributes(edge, faces))
        elif not frames[edge.source]:
            _beside(dot, edge)
    return str(dot.source)


def _cluster(frame: DrawnFrame, faces: Faces) -> graphviz.Digraph:
    import graphviz

    face = faces.frames[frame.id]
    attributes = {
        "label": _room((face.width, face.height)),
        "labeljust": "l",
        # Where gradients flow upwards, Graphviz has its bottom at the top.
        "labelloc": "b",
        "margin": f"{MARGIN:.0f}",
    }
    return graphviz.Digraph(f"cluster_{frame.id}", graph_attr=attributes)


def _attributes(edge: DrawnEdge, faces: Faces) -> dict[str, str]:
    attributes = {"id": edge.id}
    if edge.kind in ("leaf", "root"):
        # Leaf and AccumulateGrad, output and its node, belong together: straight and short.
        attributes["weight"] = "8"
    if edge.kind == "made":
        # It tells where a graph comes from, and is no part of the way of a gradient.
        attributes["constraint"] = "false"
    if edge.head:
        attributes["lhead"] = f"cluster_{edge.head}"
    room = faces.labels.get(edge.id)
    if room is not None:
        attributes["label"] = _room(room)
    return attributes


def _room(size: tuple[float, float]) -> str:
    """A label has no fixedsize; an empty table of fixed size does the same."""
    fixed = f'FIXEDSIZE="TRUE" WIDTH="{size[0]:.0f}" HEIGHT="{size[1]:.0f}"'
    return f'<<TABLE BORDER="0" {fixed}><TR><TD></TD></TR></TABLE>>'


def _beside(dot: graphviz.Digraph, edge: DrawnEdge) -> None:
    with dot.subgraph() as same:
        same.attr(rank="same")
        same.edge(edge.source, edge.target, id=edge.id, minlen="1")


def _inches(points: float) -> str:
    return f"{points / POINTS_PER_INCH:.6f}"

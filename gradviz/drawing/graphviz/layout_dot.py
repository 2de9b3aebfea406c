"""The drawing as DOT for layout: ids and sizes only, no text from the trace."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnFrame, DrawnGraph
from gradviz.drawing.geometry.box_geometry import MARGIN, GraphGeometry
from gradviz.drawing.graphviz.graph_layout import TURNED
from gradviz.drawing.graphviz.output_order import outputs_abreast
from gradviz.drawing.graphviz.wrapped_columns import wrapped_columns

if TYPE_CHECKING:
    import graphviz

POINTS_PER_INCH = 72
# No nslimit or mclimit: measured on such graphs, they help little or look worse.
_GAPS = {False: {"nodesep": "0.4", "ranksep": "0.38"}, True: {"nodesep": "0.2", "ranksep": "0.31"}}
_BRIEF_GAPS = {"nodesep": "0.08", "ranksep": "0.07"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutStyle:
    """How Graphviz arranges a drawing.

    Attributes:
        horizontal: Whether gradients flow to the left instead of upwards.
        tight: Whether boxes are close together.
        saved_below: Whether saved tensors are below their node instead of beside it.
        columns: Number of columns of a long chain; gradients flow down in every second one.
    """

    horizontal: bool = False
    tight: bool = False
    saved_below: bool = False
    columns: int = 1


UPWARD = LayoutStyle()


def dot_source(graph: DrawnGraph, faces: GraphGeometry, style: LayoutStyle = UPWARD) -> str:
    """Write the DOT whose layout `read_layout` reads.

    Gradients flow upwards by default: outputs at the bottom, leaves at the top. Graphviz measures
    no text; every box and label has a given size.
    """
    # Imported late: graphviz loads slowly, and the window should appear first.
    import graphviz

    dot = graphviz.Digraph(
        "picture",
        # Graphviz ignores ``lhead`` unless the graph is compound.
        graph_attr={"margin": "0", "rankdir": "RL" if style.horizontal else "BT"}
        | (_BRIEF_GAPS if graph.detail.brief else _GAPS[style.tight])
        | ({"compound": "true"} if any(e.head for e in graph.edges) else {}),
        node_attr={"shape": "box", "label": "", "fixedsize": "true"},
        edge_attr={"arrowhead": "none"},
    )
    parts = {"": dot} | {frame.id: _cluster(frame, faces, style) for frame in graph.frames}
    frames = {node.id: node.frame for node in graph.nodes}
    for node in graph.nodes:
        face = faces.boxes[node.id]
        size = {"width": _inches(face.width), "height": _inches(face.height)}
        parts[node.frame].node(node.id, **size)
    for edge in graph.edges:
        # Inside a cluster, the equal rank must be written there, before the cluster is added.
        if edge.kind == "saved" and frames[edge.source] and not style.saved_below:
            _add_same_rank(parts[frames[edge.source]], edge)
    # Inner frames first: adding a subgraph copies its text, so it must be complete by then.
    for frame in reversed(graph.frames):
        parts[frame.parent].subgraph(parts[frame.id])
    _add_edges(dot, graph, faces, style)
    return str(dot.source)


def _add_edges(
    dot: graphviz.Digraph, graph: DrawnGraph, faces: GraphGeometry, style: LayoutStyle
) -> None:
    frames = {node.id: node.frame for node in graph.nodes}
    wrapped = wrapped_columns(graph, style.columns)
    for abreast in [wrapped.abreast] if wrapped.abreast else outputs_abreast(graph):
        with dot.subgraph() as same:
            same.attr(rank="same")
            for left, right in itertools.pairwise(abreast):
                same.edge(left, right, style="invis")
    for edge in graph.edges:
        # Graphviz draws an edge upwards; `read_layout` turns the curves of the others around.
        if edge.id in wrapped.downward:
            dot.edge(edge.target, edge.source, **_attributes(edge, faces), **{TURNED: "true"})
        elif edge.kind != "saved":
            dot.edge(edge.source, edge.target, **_attributes(edge, faces))
        elif style.saved_below:
            dot.edge(edge.target, edge.source, id=edge.id, **{TURNED: "true"})
        elif not frames[edge.source]:
            _add_same_rank(dot, edge)


def _cluster(frame: DrawnFrame, faces: GraphGeometry, style: LayoutStyle) -> graphviz.Digraph:
    import graphviz

    face = faces.frames[frame.id]
    attributes = {
        "label": _spacer((face.width, face.height)),
        "labeljust": "l",
        # With rankdir BT, Graphviz swaps top and bottom.
        "labelloc": "t" if style.horizontal else "b",
        "margin": f"{MARGIN / 2 if style.tight else MARGIN:.0f}",
    }
    return graphviz.Digraph(f"cluster_{frame.id}", graph_attr=attributes)


def _attributes(edge: DrawnEdge, faces: GraphGeometry) -> dict[str, str]:
    attributes = {"id": edge.id}
    if edge.kind in ("leaf", "root"):
        # Keeps a leaf close to its AccumulateGrad and an output close to its node.
        attributes["weight"] = "8"
    if edge.kind == "made":
        # This edge only shows where a graph comes from; no gradient flows along it.
        attributes["constraint"] = "false"
    if edge.head:
        attributes["lhead"] = f"cluster_{edge.head}"
    label_size = faces.labels.get(edge.id)
    if label_size is not None:
        attributes["label"] = _spacer(label_size)
    return attributes


def _spacer(size: tuple[float, float]) -> str:
    """Reserve fixed space for a label; labels have no ``fixedsize``, but tables do."""
    fixed = f'FIXEDSIZE="TRUE" WIDTH="{size[0]:.0f}" HEIGHT="{size[1]:.0f}"'
    return f'<<TABLE BORDER="0" {fixed}><TR><TD></TD></TR></TABLE>>'


def _add_same_rank(dot: graphviz.Digraph, edge: DrawnEdge) -> None:
    with dot.subgraph() as same:
        same.attr(rank="same")
        same.edge(edge.source, edge.target, id=edge.id, minlen="1")


def _inches(points: float) -> str:
    return f"{points / POINTS_PER_INCH:.6f}"

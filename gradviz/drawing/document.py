"""A picture as DOT for people: real labels, safely escaped, in the colours that torchviz uses."""

from __future__ import annotations

import graphviz

from gradviz.drawing.drawn import DrawnEdge, DrawnGraph, DrawnKind, DrawnNode
from gradviz.model.palette import PALETTE, Role

_LOOKS: dict[DrawnKind, tuple[Role, Role, str, str]] = {
    "custom": ("custom_fill", "custom_border", "octagon", "filled,bold"),
    "builtin": ("builtin_fill", "builtin_border", "box", "filled"),
    "accumulate": ("accumulate_fill", "accumulate_border", "box", "filled,rounded"),
    "error": ("failing_fill", "failing_border", "octagon", "filled,bold"),
    "leaf": ("leaf_fill", "leaf_border", "box", "filled,rounded"),
    "link": ("leaf_fill", "leaf_border", "box", "filled,rounded,dashed"),
    "output": ("output_fill", "output_border", "box", "filled,rounded"),
    "saved": ("saved_fill", "saved_border", "note", "filled"),
    "folded": ("folded_fill", "folded_border", "box3d", "filled"),
}


def dot_document(graph: DrawnGraph) -> str:
    """Writes the DOT that ``gradviz export`` gives; a label is only ever plain text."""
    font = {"fontname": "Inter,Helvetica,Arial,sans-serif", "fontsize": "11"}
    dot = graphviz.Digraph("gradviz", graph_attr={"rankdir": "BT"}, node_attr=font, edge_attr=font)
    for node in graph.nodes:
        fill, border, shape, style = _LOOKS[node.kind]
        dot.node(
            node.id,
            label=_label(node),
            shape=shape,
            style=style,
            fillcolor=PALETTE[fill][0],
            color=PALETTE[border][0],
        )
    for edge in graph.edges:
        if edge.kind == "saved":
            with dot.subgraph() as same:
                same.attr(rank="same")
                same.edge(edge.source, edge.target, style="dashed", arrowhead="none")
        else:
            dot.edge(edge.source, edge.target, label=_edge_label(edge))
    return str(dot.source)


def _label(node: DrawnNode) -> str:
    link = () if node.link is None else (f"[{node.link}]",)
    return plain_label("\n".join((" ".join((node.title, *link)), *node.lines)))


def _edge_label(edge: DrawnEdge) -> str:
    return plain_label(edge.labels[-1]) if edge.labels else ""


def plain_label(text: str) -> str:
    r"""Text as Graphviz shows it unchanged: no escapes like ``\N``, no entities, no HTML."""
    lines = (str(graphviz.escape(line)).replace("&", "&amp;") for line in text.split("\n"))
    # The library's own kind of str: its quoting then never takes `<b>` for HTML.
    label: str = graphviz.nohtml("\\n".join(lines))
    return label

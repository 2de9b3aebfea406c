"""The drawing as DOT for people: real labels, safely escaped, in torchviz's colors."""

from __future__ import annotations

import graphviz

from gradviz.drawing.appearance.palette import PALETTE, PaletteRole
from gradviz.drawing.content.drawn_graph import (
    DrawnEdge,
    DrawnFrame,
    DrawnGraph,
    DrawnKind,
    DrawnNode,
    EdgeKind,
)

_LOOKS: dict[DrawnKind, tuple[PaletteRole, PaletteRole, str, str]] = {
    "custom": ("custom_fill", "custom_border", "octagon", "filled,bold"),
    "builtin": ("builtin_fill", "builtin_border", "box", "filled"),
    "accumulate": ("accumulate_fill", "accumulate_border", "box", "filled,rounded"),
    "error": ("failing_fill", "failing_border", "octagon", "filled,bold"),
    "leaf": ("leaf_fill", "leaf_border", "box", "filled,rounded"),
    "link": ("leaf_fill", "leaf_border", "box", "filled,rounded,dashed"),
    "output": ("output_fill", "output_border", "box", "filled,rounded"),
    "saved": ("saved_fill", "saved_border", "note", "filled"),
    "folded": ("folded_fill", "folded_border", "box3d", "filled"),
    "dead_end": ("output_fill", "output_border", "box", "filled"),
    "cut": ("failing_fill", "failing_border", "box", "filled,rounded,dashed"),
}

_STYLES: dict[EdgeKind, dict[str, str]] = {
    "made": {"style": "dotted", "arrowhead": "none", "constraint": "false"},
    "dead_end": {"style": "dotted", "arrowhead": "tee", "dir": "back", "arrowtail": "tee"},
    "cut": {"style": "dashed", "color": PALETTE["failing_border"][0]},
}


def dot_document(graph: DrawnGraph) -> str:
    """Write the DOT document of ``gradviz export``; labels are always plain text."""
    font = {"fontname": "Inter,Helvetica,Arial,sans-serif", "fontsize": "11"}
    dot = graphviz.Digraph("gradviz", graph_attr={"rankdir": "BT"}, node_attr=font, edge_attr=font)
    parts = {"": dot}
    for frame in graph.frames:
        parts[frame.id] = graphviz.Digraph(f"cluster_{frame.id}", graph_attr=_frame(frame))
    frames = {node.id: node.frame for node in graph.nodes}
    for node in graph.nodes:
        fill, border, shape, style = _LOOKS[node.kind]
        parts[node.frame].node(
            node.id,
            label=_label(node),
            shape=shape,
            style=style,
            fillcolor=PALETTE[fill][0],
            color=PALETTE[border][0],
        )
    for edge in graph.edges:
        if edge.kind == "saved":
            # Equal rank puts a saved card beside its node instead of above it.
            with parts[frames[edge.source]].subgraph() as same:
                same.attr(rank="same")
                same.edge(edge.source, edge.target, style="dashed", arrowhead="none")
    # Inner frames first: adding a subgraph copies its text, so it must be complete by then.
    for frame in reversed(graph.frames):
        parts[frame.parent].subgraph(parts[frame.id])
    for edge in graph.edges:
        if edge.kind != "saved":
            style_attributes = _STYLES.get(edge.kind, {})
            dot.edge(edge.source, edge.target, label=_edge_label(edge), **style_attributes)
    return str(dot.source)


def _frame(frame: DrawnFrame) -> dict[str, str]:
    return {
        "label": plain_label(" ".join(filter(None, (frame.title, frame.line)))),
        "labeljust": "l",
        # With rankdir BT, Graphviz swaps top and bottom.
        "labelloc": "b",
        "style": "filled,rounded",
        "fillcolor": PALETTE["frame_fill"][0],
        "color": PALETTE["frame_border"][0],
        "fontname": "Inter,Helvetica,Arial,sans-serif",
        "fontsize": "10",
    }


def _label(node: DrawnNode) -> str:
    link = () if node.link is None else (f"[{node.link}]",)
    problem_lines = (node.problem,) if node.problem else ()
    return plain_label("\n".join((" ".join((node.title, *link)), *node.lines, *problem_lines)))


def _edge_label(edge: DrawnEdge) -> str:
    return plain_label(edge.labels[-1]) if edge.labels else ""


def plain_label(text: str) -> str:
    r"""Escape text so that Graphviz shows it unchanged.

    Escapes like ``\N``, entities and HTML all lose their meaning.
    """
    lines = (str(graphviz.escape(line)).replace("&", "&amp;") for line in text.split("\n"))
    # Graphviz's own str type keeps its quoting from taking `<b>` for HTML.
    label: str = graphviz.nohtml("\\n".join(lines))
    return label

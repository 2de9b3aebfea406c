"""The graph as DOT or Mermaid, with its labels, to be drawn by other programs."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.palette import PALETTE
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode, TooLarge
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.content.plain_text import label_text
from gradviz.drawing.display.cards import kind_role
from gradviz.drawing.geometry.box_geometry import SHAPES, BoxShape
from gradviz.drawing.graphviz.dot_document import dot_document
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError

_BRACKETS: dict[BoxShape, tuple[str, str]] = {
    "chamfered": ("{{", "}}"),
    "rounded": ("[", "]"),
    "card": ("(", ")"),
    "pill": ("([", "])"),
    "stack": ("[[", "]]"),
    "note": (">", "]"),
    "stub": ("[", "]"),
}
_ESCAPES = str.maketrans(
    {"#": "#35;", '"': "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;", "`": "#96;"}
)


def mermaid_document(graph: DrawnGraph) -> str:
    """Write a flowchart in which gradients flow upward; labels are always plain text."""
    frames = {frame.id: frame for frame in graph.frames}
    lines = ["flowchart BT"]

    def contents(frame: str) -> Iterator[str]:
        yield from (_node(node) for node in graph.nodes if node.frame == frame)
        for inner in frames.values():
            if inner.parent == frame:
                yield f"subgraph {inner.id}[{_quoted(inner.title, inner.line)}]"
                yield from contents(inner.id)
                yield "end"

    lines += contents("")
    lines += map(_edge, graph.edges)
    for kind in dict.fromkeys(node.kind for node in graph.nodes):
        fill, border, ink = (
            PALETTE[kind_role(kind, part)][0] for part in ("fill", "border", "text")
        )
        dashes = ",stroke-dasharray:4 3" if kind in ("link", "cut") else ""
        lines.append(f"classDef {kind} fill:{fill},stroke:{border},color:{ink}{dashes}")
    return "\n  ".join(lines) + "\n"


def _node(node: DrawnNode) -> str:
    opening, closing = _BRACKETS[SHAPES[node.kind]]
    link = () if node.link is None else (f"[{node.link}]",)
    problem = (node.problem,) if node.problem else ()
    label = _quoted(" ".join((node.title, *link)), *node.lines, *problem)
    return f"{node.id}{opening}{label}{closing}:::{node.kind}"


def _edge(edge: DrawnEdge) -> str:
    arrow = {"saved": "-.-", "made": "-.-", "dead_end": "-.-", "cut": "-.-x"}.get(edge.kind, "-->")
    label = f"|{_quoted(edge.labels[-1])}|" if edge.labels else ""
    return f"{edge.source} {arrow}{label} {edge.target}"


def _quoted(*lines: str) -> str:
    shown = (label_text(line).translate(_ESCAPES) for line in lines if line)
    return f'"{"<br/>".join(shown)}"'


def graph_dot(index: TraceIndex, *, folds: FoldState = NO_FOLDS) -> str:
    """Return the graph of a trace as DOT; see `graph_mermaid` for the errors."""
    return dot_document(_drawn(index, folds))


def graph_mermaid(index: TraceIndex, *, folds: FoldState = NO_FOLDS) -> str:
    """Return the graph of a trace as Mermaid.

    Args:
        index: The trace.
        folds: Groups that the user opened and closed.

    Raises:
        ExportError: If there is no graph, or it is too large.
    """
    return mermaid_document(_drawn(index, folds))


def _drawn(index: TraceIndex, folds: FoldState) -> DrawnGraph:
    graph = drawn_graph(index, folds=folds)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    return graph

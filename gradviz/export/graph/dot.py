"""The graph as DOT or Mermaid, with its labels, to be drawn by other programs."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import DrawnGraph, TooLarge
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.graphviz.dot_document import dot_document
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError
from gradviz.export.graph.mermaid import mermaid_document


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

"""The graph as DOT with its labels, to be rendered with Graphviz."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import TooLarge
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.graphviz.dot_document import dot_document
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError


def graph_dot(index: TraceIndex, *, folds: FoldState = NO_FOLDS) -> str:
    """Return the graph of a trace as DOT.

    Args:
        index: The trace.
        folds: Groups that the user opened and closed.

    Raises:
        ExportError: If there is no graph, or it is too large.
    """
    graph = drawn_graph(index, folds=folds)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    return dot_document(graph)

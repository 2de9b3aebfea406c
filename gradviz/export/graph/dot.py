"""The graph as DOT with its labels, to be rendered with Graphviz."""

from __future__ import annotations

from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import TooLarge
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.graphviz.dot_document import dot_document
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError


def write_dot(index: TraceIndex, path: Path, *, folds: FoldState = NO_FOLDS) -> None:
    """Write the graph of a trace as DOT.

    Args:
        index: The trace.
        path: The file; an existing one is replaced.
        folds: Groups that the user opened and closed.

    Raises:
        ExportError: If there is no graph, or it is too large.
        OSError: If the file cannot be written.
    """
    graph = drawn_graph(index, folds=folds)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    path.write_text(dot_document(graph), encoding="utf-8")

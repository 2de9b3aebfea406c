"""The graph as DOT with its labels, to be rendered with Graphviz."""

from __future__ import annotations

from pathlib import Path

from gradviz.drawing.document import dot_document
from gradviz.drawing.drawn import TooLarge
from gradviz.drawing.folds import Folds
from gradviz.drawing.graph import AS_FOUND, drawn_graph
from gradviz.export.errors import ExportError
from gradviz.model.index import Index


def write_dot(index: Index, path: Path, *, folds: Folds = AS_FOUND) -> None:
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

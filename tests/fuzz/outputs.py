"""Every way in which gradviz shows a trace, without the window."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gradviz.analysis.index.trace_index import index_reader
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.check.json_document import check_document
from gradviz.export.check.svg import check_svg
from gradviz.export.check.text import check_text
from gradviz.export.errors import ExportError
from gradviz.export.graph.dot import graph_dot
from gradviz.export.graph.svg import graph_svg
from gradviz.export.steps.json_document import steps_members
from gradviz.export.steps.json_text import json_pieces
from gradviz.export.steps.text import steps_text
from gradviz.model.tensor import TensorValues
from gradviz.model.trace import Trace
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace

LEAST_TEXT, TIMES = 20_000_000, 100
"""JSON may be this many times as long as its file; that of a small file, this long."""


class DisproportionateError(Exception):
    """A document is far larger than its trace."""


def show_all(path: Path, *, draw: bool) -> None:
    """Read a trace and everything in it, and write it as text, JSON and DOT.

    Args:
        path: The trace.
        draw: Whether Graphviz lays it out too, which takes longest.
    """
    with contextlib.suppress(TraceError):
        _read(path)
    with contextlib.suppress(TraceError), open_trace(path, repair=True) as reader:
        index = index_reader(reader)
        _exhaust(path, steps_text(index, "op"))
        _exhaust(path, json_pieces(steps_members(index, "op")))
        with contextlib.suppress(ExportError):
            graph_dot(index)
        _show_reports(path, index.trace, reader.value)
        if draw:
            with contextlib.suppress(ExportError, LayoutError):
                graph_svg(index)


def _read(path: Path) -> None:
    with open_trace(path) as reader:
        trace = reader.trace()
        reader.step_counts()
        reader.scope()
        reader.last_report()
        for record in trace.tensors:
            value = reader.value(record.id)
            if value is not None:
                value.array()


def _show_reports(path: Path, trace: Trace, values: TensorValues) -> None:
    for report in trace.reports:
        _exhaust(path, check_text(trace, report, values))
        _exhaust(path, json_pieces(check_document(trace, report, values)))
        with contextlib.suppress(ExportError):
            check_svg(report, values, theme_paint("light"))


def _exhaust(path: Path, pieces: Iterator[str]) -> None:
    left = max(LEAST_TEXT, path.stat().st_size * TIMES)
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise DisproportionateError(f"much longer than {path.stat().st_size} bytes")

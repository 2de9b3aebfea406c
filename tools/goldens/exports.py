"""Writes the exports of a trace: text, JSON, page, figure, graph and check."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.export.check.json_document import check_document
from gradviz.export.check.svg import check_svg
from gradviz.export.check.text import check_text
from gradviz.export.errors import ExportError
from gradviz.export.graph.dot import graph_dot
from gradviz.export.graph.svg import graph_svg
from gradviz.export.page.document import run_page
from gradviz.export.steps.json_document import steps_document
from gradviz.export.steps.text import steps_text
from gradviz.store.reader import TraceReader, open_trace


def write_exports(trace: Path, folder: Path) -> None:
    """Write a file for each export of a trace."""
    folder.mkdir(parents=True, exist_ok=True)
    with open_trace(trace) as reader:
        index = index_reader(reader)
        for name, text in _exports(index, reader):
            (folder / name).write_text(text, encoding="utf-8")


def _exports(index: TraceIndex, reader: TraceReader) -> Iterator[tuple[str, str]]:
    values = reader.value
    yield "steps.txt", "".join(f"{line}\n" for line in steps_text(index, "op"))
    yield "steps.json", _json(steps_document(index, "op"))
    yield "page.html", run_page(index)
    try:
        yield "graph.dot", graph_dot(index)
        yield "graph.svg", graph_svg(index)
    except ExportError as error:
        yield "graph.txt", f"{error}\n"
    for report in index.trace.reports:
        yield "check.txt", "".join(f"{line}\n" for line in check_text(index.trace, report, values))
        yield "check.json", _json(check_document(index.trace, report, values))
        if report.blocks:
            yield "check.svg", check_svg(report, values, theme_paint("light"))


def _json(document: object) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, default=list) + "\n"

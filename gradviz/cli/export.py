"""``gradviz export``: the graph of a trace as a figure."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_list
from gradviz.cli import output
from gradviz.cli.errors import UsageError, writing

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.store.reader import TraceReader


def run(arguments: argparse.Namespace) -> int:
    """Write an SVG or DOT file, depending on the output's extension."""
    path = arguments.output
    if path.suffix.lower() not in (".svg", ".dot"):
        endings = say_list([".svg", ".dot"], "or")
        raise UsageError(say("command.suffix", path=path, suffix=endings))
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.store.reader import open_trace

    with open_trace(arguments.trace, repair=True) as reader:
        index = index_reader(reader)
        count = len(index.trace.steps)
        step = arguments.step
        if isinstance(step, int) and step > count:
            raise UsageError(say("export.no_step", number=step, last=count))
        _write(index, reader, path, step)
    output.say(str(path))
    return 0


def _write(index: TraceIndex, reader: TraceReader, path: Path, step: int | str | None) -> None:
    from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
    from gradviz.drawing.graphviz.layout_engine import LayoutError
    from gradviz.export.errors import ExportError
    from gradviz.export.graph.dot import write_dot
    from gradviz.export.graph.svg import write_svg

    try:
        with writing(path):
            if path.suffix.lower() == ".dot":
                write_dot(index, path)
            elif isinstance(step, str):
                place = position_at_path(index, step)
                write_svg(index, reader.value, path, step=place.step, place=place)
            else:
                write_svg(index, reader.value, path, step=step)
    except (ExportError, LayoutError, UnknownPositionError) as error:
        raise UsageError(str(error)) from None

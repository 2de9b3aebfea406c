"""``gradviz export``: a figure, page or film of a trace, a figure of its check, or its tensors."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.optional_packages import Extra, missing_packages
from gradviz.cli import output
from gradviz.cli.arguments import TRACE_LIMITS, VerbArguments, number, parsed
from gradviz.cli.errors import UsageError, check_output, refuse_options, writing
from gradviz.cli.figure_export import (
    FILMS,
    export_graph,
    export_jacobians,
    export_slides,
    shown_position,
    write_text,
)
from gradviz.cli.limit_options import limits_of
from gradviz.cli.traces import STANDARD_STREAM, index_of_second, named_run, trace_file

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.model.inputs import Offer

_ENDINGS = (
    *(".svg", ".png", ".pdf", ".pptx", ".dot", ".mmd", ".drawio"),
    *(*FILMS, ".html", ".tex", ".tikz", ".npz", ".safetensors"),
)

_FIGURES = (".svg", ".png", ".pdf")
_OPTIONS = {
    "step": (*_FIGURES, ".pptx", ".html", ".tex", ".tikz"),
    "steps": (*_FIGURES, ".pptx", *FILMS),
    "seconds": FILMS,
    "theme": (*_FIGURES, ".pptx", ".tikz", *FILMS),
    "size": (*_FIGURES, *FILMS),
    "scale": (".png",),
    "transparent": _FIGURES,
    "bare": _FIGURES,
    "text": (".svg",),
    "slides": (".pdf", ".pptx"),
    "paper": (),
    "with": (".html",),
}
"""Kinds of files that each option has an effect on; on lessons, others have one."""


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.export.film.film import FILM_SECONDS

    add.view("last", tab="graph")
    add("--steps")
    seconds = say("help.export.seconds", seconds=FILM_SECONDS)
    add("--seconds", type=_seconds, metavar="S", help=seconds)
    add("--with", metavar="RUN")
    add("--scale", type=_scale, metavar="F")
    add("--text", choices=("paths", "font"))
    for name in ("--transparent", "--bare", "--slides"):
        add(name, action="store_true", default=None)
    # The formats of `PAPERS`, whose module only a handout needs.
    add("--paper", choices=("a4", "letter"))
    add.output(required=True)
    add.limits()
    add.each(*TRACE_LIMITS)


@parsed("scale")
def _scale(text: str) -> float:
    return number(text, r"\d{1,2}(\.\d{1,3})?", 0.1, 100)


@parsed("film_seconds", least=0.1, most=60)
def _seconds(text: str) -> float:
    return number(text, r"\d{1,2}(\.\d{1,2})?", 0.1, 60)


def run(arguments: argparse.Namespace) -> int:
    """Write the format that the output's extension names; on standard output, an SVG."""
    from gradviz.cli.handout_export import export_handout, lesson_path

    path: Path = arguments.output
    lesson = lesson_path(arguments.subject)
    if lesson is not None:
        check_output(path)
        output.say(export_handout(arguments, lesson))
        return 0
    if str(path) == STANDARD_STREAM:
        if arguments.steps is not None:
            raise UsageError(say("command.no_effect", option="--steps", path=say("command.stdout")))
        _check_options(arguments, ".svg", say("command.stdout"))
        with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
            path = Path(folder) / "figure.svg"
            _export(arguments, path)
            output.say_pieces([path.read_text(encoding="utf-8").rstrip()])
        return 0
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageError(say("command.suffix", path=path, suffix=say_list(_ENDINGS, "or")))
    check_output(path)
    _check_options(arguments, ending, path.name)
    output.say(_export(arguments, path))
    return 0


def _check_options(arguments: argparse.Namespace, ending: str, name: str) -> None:
    """Reject options that have no effect on the output."""
    is_jacobian = arguments.tab == "jacobians"
    if arguments.tab == "compare" or (is_jacobian and ending not in _FIGURES):
        raise UsageError(say("command.tab", tab=arguments.tab, path=name))
    without_effect = [option for option, kinds in _OPTIONS.items() if ending not in kinds]
    refuse_options(arguments, without_effect, name)
    if arguments.slides:
        refuse_options(arguments, ("size", "transparent", "bare"), say("command.slides"))
    for option in ("step", "steps", "slides", "bare") if is_jacobian else ():
        if getattr(arguments, option) is not None:
            raise UsageError(say("command.no_effect.tab", option=f"--{option}", tab=arguments.tab))
    if arguments.step is not None and arguments.steps is not None:
        raise UsageError(say("command.step_or_steps"))
    if missing := missing_packages(*_needed(arguments, ending)):
        raise UsageError(missing)
    if ending in FILMS:
        _check_film(arguments, ending, name)


def _needed(arguments: argparse.Namespace, ending: str) -> Iterator[Extra]:
    """What the output needs, to say it before anything is recorded or drawn."""
    if ending in (".png", ".pdf"):
        yield "view"
    if ending == ".pptx":
        yield "slides"
    if ending in (*_FIGURES, ".pptx", ".drawio", ".tikz", ".html") and arguments.tab == "graph":
        yield "draw"


def _check_film(arguments: argparse.Namespace, ending: str, name: str) -> None:
    """Reject a film that cannot be encoded, before anything is recorded or drawn."""
    from gradviz.export.film.film import FILM_SIZE, missing_for_film

    if missing := missing_for_film():
        raise UsageError(missing)
    # H.264 as every player shows it has one color for 2×2 pixels.
    width, height = arguments.size or FILM_SIZE
    if ending == ".mp4" and (width % 2 or height % 2):
        size = f"{width + width % 2}x{height + height % 2}"
        raise UsageError(say("command.odd_size", path=name, size=size))


def _export(arguments: argparse.Namespace, path: Path) -> str:
    """Write the figures of the tab, the page or the tensors; return what was written.

    Raises:
        UsageError: If it cannot be drawn or written.
    """
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.cli.handout_export import has_slides
    from gradviz.drawing.graphviz.layout_engine import LayoutError
    from gradviz.export.errors import ExportError
    from gradviz.host.svg_rendering import PictureError
    from gradviz.store.reader import open_trace

    is_jacobian, ending = arguments.tab == "jacobians", path.suffix.lower()
    other = vars(arguments)["with"]
    try:
        with (
            named_run(arguments.subject) as run,
            named_run(other) if other else contextlib.nullcontext() as second,
            trace_file(run, arguments, checked=is_jacobian, second=second) as (trace, first),
            open_trace(trace, repair=True) as reader,
        ):
            index = index_reader(reader)
            if ending in (".npz", ".safetensors"):
                _write_tensors(index, path)
            elif ending in (".dot", ".mmd", ".drawio", ".tikz", ".tex"):
                write_text(path, _source_text(arguments, index, ending))
            elif ending == ".html":
                write_text(path, _page(arguments, index, first, second))
            elif is_jacobian:
                export_jacobians(arguments, index, path)
            elif has_slides(arguments):
                return export_slides(arguments, index, path)
            else:
                return export_graph(arguments, index, path)
    except (ExportError, LayoutError, PictureError) as error:
        raise UsageError(str(error)) from None
    finally:
        output.say_progress("")
    return str(path)


def _source_text(arguments: argparse.Namespace, index: TraceIndex, ending: str) -> str:
    """The graph or a step for another program: DOT, Mermaid, draw.io, TikZ or LaTeX."""
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.graph.dot import graph_dot, graph_mermaid
    from gradviz.export.graph.drawio import drawio_document
    from gradviz.export.graph.svg import laid_out_graph
    from gradviz.export.graph.tikz import graph_tikz
    from gradviz.export.steps.latex import step_latex

    match ending:
        case ".dot":
            return graph_dot(index)
        case ".mmd":
            return graph_mermaid(index)
        case ".drawio":
            return drawio_document(laid_out_graph(index))
        case ".tikz":
            paint = theme_paint(arguments.theme or "light")
            drawing = laid_out_graph(index)
            return graph_tikz(drawing, shown_position(arguments, index), paint)
        case _:
            return step_latex(index, shown_position(arguments, index))


def _page(
    arguments: argparse.Namespace,
    index: TraceIndex,
    first: Offer | None,
    second: Path | Offer | None,
) -> str:
    from gradviz.analysis.compare.run_comparison import compare_runs
    from gradviz.export.page.document import run_page

    start = None if arguments.step is None else shown_position(arguments, index)
    if second is None:
        return run_page(index, start)
    with index_of_second(second, first, limits_of(arguments), "all") as (other, note):
        if note:
            output.print_note(note)
        return run_page(index, start, compare_runs(index, other))


def _write_tensors(index: TraceIndex, path: Path) -> None:
    from gradviz.export.run_tensors.formats import TENSOR_WRITERS

    write = TENSOR_WRITERS[path.suffix.lower()]
    with writing(path) as file:
        table = write(file, index)
    for note in table.notes(path.name):
        output.print_note(note)

"""``gradviz export``: a figure of a trace or its last check, the run as a page, or its tensors."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.cli import output
from gradviz.cli.errors import UsageError, check_output, writing
from gradviz.cli.limit_options import add_limit_options, add_trace_limit_options, limits_of
from gradviz.cli.traces import STANDARD_STREAM, trace_file
from gradviz.cli.view import add_view_options

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.analysis.position.trace_position import TracePosition
    from gradviz.store.reader import TraceReader

_ENDINGS = (".svg", ".png", ".pdf", ".dot", ".html", ".npz", ".safetensors")

_THEME: Final = "light"

_LOOK = ("theme", "size", "scale", "transparent")
_IGNORED = {
    ".svg": ("scale",),
    ".pdf": ("scale",),
    ".html": ("steps", *_LOOK),
    **dict.fromkeys((".dot", ".npz", ".safetensors"), ("step", "steps", *_LOOK)),
}
"""Options that a kind of file has no use for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    add_view_options(parser, "last", tab="graph", size=None)
    parser.add_argument("--steps", type=_steps, metavar="M:N", help=say("help.export.steps"))
    parser.add_argument("--scale", type=_scale, metavar="F", help=say("help.export.scale"))
    parser.add_argument(
        "--transparent", action="store_true", default=None, help=say("help.export.transparent")
    )
    parser.add_argument("output", type=Path, metavar="OUT", help=say("help.export.output"))
    add_limit_options(parser)
    add_trace_limit_options(parser)


def _steps(text: str) -> tuple[int, int | None]:
    """The first and last of some steps; None for the last step of the run."""
    if text == "all":
        return 1, None
    match = re.fullmatch(r"(\d+):(\d*)", text, re.ASCII)
    first, last = (int(match[1]), int(match[2] or 0)) if match else (0, 0)
    if match is None or first < 1 or (match[2] and last < first):
        raise argparse.ArgumentTypeError(say("argument.steps", text=text))
    return first, last or None


def _scale(text: str) -> float:
    if re.fullmatch(r"\d{1,2}(\.\d{1,3})?", text, re.ASCII) is None or float(text) < _LEAST_SCALE:
        raise argparse.ArgumentTypeError(say("argument.scale", text=text))
    return float(text)


_LEAST_SCALE = 0.1


def run(arguments: argparse.Namespace) -> int:
    """Write the format that the output's extension names; on standard output, an SVG."""
    path: Path = arguments.output
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
    is_figure, is_jacobian = ending in (".svg", ".png", ".pdf"), arguments.tab == "jacobians"
    if arguments.tab == "compare" or (is_jacobian and not is_figure):
        raise UsageError(say("command.tab", tab=arguments.tab, path=name))
    for option in _IGNORED.get(ending, ()):
        if getattr(arguments, option) is not None:
            raise UsageError(say("command.no_effect", option=f"--{option}", path=name))
    for option in ("step", "steps") if is_jacobian else ():
        if getattr(arguments, option) is not None:
            raise UsageError(say("command.no_effect.tab", option=f"--{option}", tab=arguments.tab))
    if arguments.step is not None and arguments.steps is not None:
        raise UsageError(say("command.step_or_steps"))


def _export(arguments: argparse.Namespace, path: Path) -> str:
    """Write the figures of the tab, the page or the tensors; return what was written.

    Raises:
        UsageError: If it cannot be drawn or written.
    """
    from gradviz.drawing.graphviz.layout_engine import LayoutError
    from gradviz.export.errors import ExportError
    from gradviz.host.svg_rendering import PictureError
    from gradviz.store.reader import open_trace

    is_jacobian = arguments.tab == "jacobians"
    whole = {".dot": _dot, ".html": _page}.get(path.suffix.lower())
    try:
        with (
            trace_file(arguments.subject, limits_of(arguments), checked=is_jacobian) as trace,
            open_trace(trace, repair=True) as reader,
        ):
            if path.suffix.lower() in (".npz", ".safetensors"):
                _write_tensors(reader, path)
            elif whole is not None:
                _write_text(path, whole(arguments, reader))
            elif is_jacobian:
                _write_figures(arguments, path, [path], [_jacobians_svg(arguments, reader)])
            else:
                return _export_graph(arguments, reader, path)
    except (ExportError, LayoutError, PictureError) as error:
        raise UsageError(str(error)) from None
    return str(path)


def _write_text(path: Path, text: str) -> None:
    with writing(path) as file:
        file.write_text(text, encoding="utf-8")


def _write_figures(
    arguments: argparse.Namespace, path: Path, paths: Sequence[Path], svgs: Iterable[str]
) -> None:
    """Write each figure to its own file, or all of them to one PDF."""
    from gradviz.host.svg_rendering import write_pdf, write_pngs

    match path.suffix.lower():
        case ".png":
            scale = arguments.scale or (2 if arguments.size is None else 1)
            write_pngs(svgs, paths, scale, transparent=bool(arguments.transparent))
        case ".pdf":
            write_pdf(svgs, path, path.stem)
        case _:
            for each, svg in zip(paths, svgs, strict=True):
                _write_text(each, svg)


def _export_graph(arguments: argparse.Namespace, reader: TraceReader, path: Path) -> str:
    """Write the graph at a position or at several steps; return what was written."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.analysis.position.trace_position import TracePosition
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.graph.svg import SvgStyle, graph_figures, laid_out_graph

    index = index_reader(reader)
    drawing = laid_out_graph(index, reader.value)
    numbers = None if arguments.steps is None else _numbers(index, *arguments.steps)
    if numbers is not None:
        places = [TracePosition(step=number) for number in numbers]
    elif arguments.step is not None:
        places = [_place(index, str(arguments.step))]
    else:
        places = [TracePosition(step=len(index.trace.steps))]
    paths = [path]
    if numbers is not None and path.suffix.lower() != ".pdf":
        paths = _numbered(path, numbers)
    style = SvgStyle(
        paint=theme_paint(arguments.theme or _THEME),
        size=arguments.size,
        transparent=bool(arguments.transparent),
    )
    figures = graph_figures(drawing, places, style)
    _write_figures(arguments, path, paths, _with_progress(figures, len(places)))
    output.say_progress("")
    if numbers is None:
        return str(path)
    if len(paths) > 1:
        return say_count("command.files", len(paths), first=paths[0], last=paths[-1])
    return say_count("command.pages", len(places), path=path) if paths == [path] else str(paths[0])


def _numbers(index: TraceIndex, first: int, last: int | None) -> range:
    """The numbers of some steps.

    Raises:
        ExportError: If the run has fewer steps.
    """
    from gradviz.export.errors import ExportError

    total = len(index.trace.steps)
    for number in (first, last or first):
        if number > total:
            raise ExportError("export.no_step", number=number, last=total)
    return range(first, (last or total) + 1)


def _numbered(path: Path, numbers: range) -> list[Path]:
    """A path for each step, such as ``graph-07.svg``; they sort by step.

    Raises:
        TraceError: If one exists and is not a regular file.
    """
    digits = len(str(numbers[-1]))
    paths = [path.with_name(f"{path.stem}-{each:0{digits}}{path.suffix}") for each in numbers]
    for each in paths:
        check_output(each)
    return paths


def _with_progress(figures: Iterable[str], total: int) -> Iterator[str]:
    """Yield the figures; if there are several, print how many are drawn so far."""
    for at, figure in enumerate(figures, 1):
        if total > 1:
            output.say_progress(say("command.drawing", done=at, total=total))
        yield figure


def _place(index: TraceIndex, path: str) -> TracePosition:
    from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path

    try:
        return position_at_path(index, path)
    except UnknownPositionError as error:
        raise UsageError(str(error)) from None


def _jacobians_svg(arguments: argparse.Namespace, reader: TraceReader) -> str:
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.check.svg import check_svg
    from gradviz.text.titles import with_display_title

    trace = reader.trace()
    if not trace.reports:
        raise UsageError(say("command.no_checks", path=arguments.subject))
    report = with_display_title(trace.reports[-1], trace.origin)
    paint = theme_paint(arguments.theme or _THEME)
    transparent = bool(arguments.transparent)
    return check_svg(report, reader.value, paint, size=arguments.size, transparent=transparent)


def _dot(_arguments: argparse.Namespace, reader: TraceReader) -> str:
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.graph.dot import graph_dot

    return graph_dot(index_reader(reader))


def _page(arguments: argparse.Namespace, reader: TraceReader) -> str:
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.page.document import run_page

    index, step = index_reader(reader), arguments.step
    return run_page(index, reader.value, None if step is None else _place(index, str(step)))


def _write_tensors(reader: TraceReader, path: Path) -> None:
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.run_tensors.npz import write_tensors_npz
    from gradviz.export.run_tensors.safetensors import write_tensors_safetensors

    write = write_tensors_npz if path.suffix.lower() == ".npz" else write_tensors_safetensors
    with writing(path) as file:
        table = write(file, index_reader(reader), reader.value)
    if table.sampled:
        output.print_note(say_count("command.sampled", table.sampled, path=path.name))
    if table.missing:
        output.print_note(say_count("command.missing", table.missing, path=path.name))

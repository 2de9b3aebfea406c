"""``gradviz export``: a figure, page or film of a trace, a figure of its check, or its tensors."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.cli import output
from gradviz.cli.errors import UsageError, check_output, refuse_options, writing
from gradviz.cli.limit_options import add_limit_options, add_trace_limit_options, limits_of
from gradviz.cli.traces import STANDARD_STREAM, index_of_run, second_run, trace_file
from gradviz.cli.view import add_view_options

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.analysis.position.trace_position import TracePosition
    from gradviz.export.film.frames import FilmFrame
    from gradviz.export.graph.svg_figure import FigureFrame
    from gradviz.model.inputs import Offer
    from gradviz.store.reader import TraceReader

_FILMS = (".gif", ".mp4")
_ENDINGS = (".svg", ".png", ".pdf", ".dot", *_FILMS, ".html", ".npz", ".safetensors")

_THEME: Final = "light"

_LOOK = ("theme", "size", "scale", "transparent", "embed_fonts", "slides")
_IGNORED = {
    ".svg": ("scale", "seconds", "slides", "with"),
    ".png": ("seconds", "embed_fonts", "slides", "with"),
    ".pdf": ("scale", "seconds", "embed_fonts", "with"),
    **dict.fromkeys(_FILMS, ("step", "scale", "transparent", "embed_fonts", "slides", "with")),
    ".html": ("steps", "seconds", *_LOOK),
    **dict.fromkeys((".dot", ".npz", ".safetensors"), ("step", "steps", "seconds", "with", *_LOOK)),
}
"""Options that a kind of file has no use for."""

_FILM_SIZE, _FILM_SECONDS = (1280, 720), 1.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    add_view_options(parser, "last", tab="graph", size=None)
    parser.add_argument("--steps", type=_steps, metavar="M:N", help=say("help.export.steps"))
    seconds = say("help.export.seconds", seconds=_FILM_SECONDS)
    parser.add_argument("--seconds", type=_seconds, metavar="S", help=seconds)
    parser.add_argument("--with", metavar="RUN", help=say("help.export.with"))
    parser.add_argument("--scale", type=_scale, metavar="F", help=say("help.export.scale"))
    parser.add_argument(
        "--transparent", action="store_true", default=None, help=say("help.export.transparent")
    )
    parser.add_argument(
        "--embed-fonts", action="store_true", default=None, help=say("help.export.embed_fonts")
    )
    parser.add_argument(
        "--slides", action="store_true", default=None, help=say("help.export.slides")
    )
    # The formats of `PAPERS`, whose module only a handout needs.
    parser.add_argument("--paper", choices=("a4", "letter"), help=say("help.export.paper"))
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


def _seconds(text: str) -> float:
    least, most = 0.1, 60
    is_number = re.fullmatch(r"\d{1,2}(\.\d{1,2})?", text, re.ASCII) is not None
    if not is_number or not least <= float(text) <= most:
        raise argparse.ArgumentTypeError(
            say("argument.film_seconds", text=text, least=least, most=most)
        )
    return float(text)


def run(arguments: argparse.Namespace) -> int:
    """Write the format that the output's extension names; on standard output, an SVG."""
    from gradviz.cli.handout.handout_export import export_handout, lesson_path

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
    is_figure, is_jacobian = ending in (".svg", ".png", ".pdf"), arguments.tab == "jacobians"
    if arguments.tab == "compare" or (is_jacobian and not is_figure):
        raise UsageError(say("command.tab", tab=arguments.tab, path=name))
    refuse_options(arguments, _IGNORED.get(ending, ()), name)
    refuse_options(arguments, ("paper",), name)
    if arguments.slides:
        refuse_options(arguments, ("size", "transparent"), say("command.slides"))
    for option in ("step", "steps", "slides") if is_jacobian else ():
        if getattr(arguments, option) is not None:
            raise UsageError(say("command.no_effect.tab", option=f"--{option}", tab=arguments.tab))
    if arguments.step is not None and arguments.steps is not None:
        raise UsageError(say("command.step_or_steps"))
    if arguments.embed_fonts and (missing := missing_packages("fonts")):
        raise UsageError(missing)
    if ending in _FILMS:
        _check_film(arguments, ending, name)


def _check_film(arguments: argparse.Namespace, ending: str, name: str) -> None:
    """Reject a film that cannot be encoded, before anything is recorded or drawn."""
    if missing := missing_packages("film") or missing_packages("view"):
        raise UsageError(missing)
    # H.264 as every player shows it has one color for 2×2 pixels.
    width, height = arguments.size or _FILM_SIZE
    if ending == ".mp4" and (width % 2 or height % 2):
        size = f"{width + width % 2}x{height + height % 2}"
        raise UsageError(say("command.odd_size", path=name, size=size))
    if ending == ".mp4":
        from gradviz.export.errors import ExportError
        from gradviz.export.film.mp4 import find_ffmpeg

        try:
            find_ffmpeg()
        except ExportError as error:
            raise UsageError(str(error)) from None


def _export(arguments: argparse.Namespace, path: Path) -> str:
    """Write the figures of the tab, the page or the tensors; return what was written.

    Raises:
        UsageError: If it cannot be drawn or written.
    """
    from gradviz.drawing.graphviz.layout_engine import LayoutError
    from gradviz.export.errors import ExportError
    from gradviz.host.svg_rendering import PictureError
    from gradviz.store.reader import open_trace

    is_jacobian, ending = arguments.tab == "jacobians", path.suffix.lower()
    limits = limits_of(arguments)
    try:
        with (
            second_run(vars(arguments)["with"], arguments.subject, limits) as second,
            trace_file(arguments, checked=is_jacobian, second=second) as trace,
            open_trace(trace, repair=True) as reader,
        ):
            if ending in (".npz", ".safetensors"):
                _write_tensors(reader, path)
            elif ending == ".dot":
                _write_text(path, _dot(reader))
            elif ending == ".html":
                _write_text(path, _page(arguments, reader, second))
            elif is_jacobian:
                _write_figures(arguments, path, [path], [_jacobians_svg(arguments, reader)])
            elif arguments.slides:
                return _export_slides(arguments, reader, path)
            else:
                return _export_graph(arguments, reader, path)
    except (ExportError, LayoutError, PictureError) as error:
        raise UsageError(str(error)) from None
    finally:
        output.say_progress("")
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
            if arguments.embed_fonts:
                from gradviz.export.graph.embedded_fonts import with_embedded_fonts

                svgs = map(with_embedded_fonts, svgs)
            for each, svg in zip(paths, svgs, strict=True):
                _write_text(each, svg)


def _export_graph(arguments: argparse.Namespace, reader: TraceReader, path: Path) -> str:
    """Write the graph at a position or at several steps; return what was written."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.analysis.position.trace_position import TracePosition
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.graph.svg import draw_framed_figures, laid_out_graph
    from gradviz.export.graph.svg_figure import SvgStyle, arrange_frame

    index = index_reader(reader)
    drawing = laid_out_graph(index, reader.value)
    ending = path.suffix.lower()
    steps = arguments.steps or ((1, None) if ending in _FILMS else None)
    numbers = None if steps is None else _numbers(index, *steps)
    if numbers is not None:
        places = [TracePosition(step=number) for number in numbers]
    elif arguments.step is not None:
        places = [_place(index, str(arguments.step))]
    else:
        places = [TracePosition(step=len(index.trace.steps))]
    paths = [path]
    if numbers is not None and ending not in (".pdf", *_FILMS):
        paths = _numbered(path, numbers)
    style = SvgStyle(
        paint=theme_paint(arguments.theme or _THEME),
        size=arguments.size or (_FILM_SIZE if ending in _FILMS else None),
        transparent=bool(arguments.transparent),
    )
    frame = arrange_frame(drawing, places, style)
    figures = _with_progress(draw_framed_figures(drawing, places, style, frame), len(places))
    if ending in _FILMS:
        return _write_film(path, figures, frame, arguments.seconds or _FILM_SECONDS)
    _write_figures(arguments, path, paths, figures)
    if numbers is None:
        return str(path)
    if len(paths) > 1:
        return say_count("command.files", len(paths), first=paths[0], last=paths[-1])
    return say_count("command.pages", len(places), path=path) if paths == [path] else str(paths[0])


def _export_slides(arguments: argparse.Namespace, reader: TraceReader, path: Path) -> str:
    """Write a slide for each step, or for some; return what was written."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.cli.handout.slide_export import run_slides
    from gradviz.host.svg_rendering import write_pdf

    index = index_reader(reader)
    places = [str(each) for each in _numbers(index, *(arguments.steps or (1, None)))]
    if arguments.step is not None:
        _place(index, str(arguments.step))
        places = [str(arguments.step)]
    slides = run_slides(index, reader.value, places, arguments.theme or _THEME)
    write_pdf(slides, path, path.stem)
    return say_count("command.pages", len(places), path=path)


def _write_film(path: Path, svgs: Iterable[str], frame: FigureFrame, seconds: float) -> str:
    """Render a picture of each step, and encode them; return what was written."""
    from gradviz.export.film.frames import film_frames
    from gradviz.host.svg_rendering import write_pngs

    steps, caption = len(frame.tops), round(frame.caption_height)
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder, writing(path) as file:
        pictures = [Path(folder) / f"{at}.png" for at in range(steps)]
        write_pngs(svgs, pictures, 1, name=path)
        if path.suffix.lower() == ".gif":
            from gradviz.export.film.gif import film_palette, gif_timing, write_gif

            timing = gif_timing(seconds)
            palette = film_palette(film_frames(pictures, timing, caption))
            frames = film_frames(pictures, timing, caption)
            write_gif(file, _with_encoding_progress(frames, steps), palette)
        else:
            from gradviz.export.film.mp4 import mp4_timing, write_mp4

            frames = film_frames(pictures, mp4_timing(seconds), caption)
            write_mp4(file, _with_encoding_progress(frames, steps), path)
    return say_count("command.film", steps, path=path, seconds=f"{steps * seconds:.10g}")


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


def _with_encoding_progress(frames: Iterable[FilmFrame], total: int) -> Iterator[FilmFrame]:
    """Yield the frames of a film; print whose step is encoded."""
    for frame in frames:
        output.say_progress(say("command.encoding", done=frame.at + 1, total=total))
        yield frame


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


def _dot(reader: TraceReader) -> str:
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.graph.dot import graph_dot

    return graph_dot(index_reader(reader))


def _page(arguments: argparse.Namespace, reader: TraceReader, second: Path | Offer | None) -> str:
    from gradviz.analysis.compare.run_comparison import compare_runs
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.page.document import run_page

    index, step = index_reader(reader), arguments.step
    start = None if step is None else _place(index, str(step))
    if second is None:
        return run_page(index, reader.value, start)
    with index_of_run(second, limits_of(arguments), "all") as other:
        return run_page(index, reader.value, start, compare_runs(index, other))


def _write_tensors(reader: TraceReader, path: Path) -> None:
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.run_tensors.formats import TENSOR_WRITERS

    write = TENSOR_WRITERS[path.suffix.lower()]
    with writing(path) as file:
        table = write(file, index_reader(reader), reader.value)
    for note in table.notes(path.name):
        output.print_note(note)

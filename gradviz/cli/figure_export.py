"""Writes figures, films and slides of a run."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output
from gradviz.cli.errors import UsageError, check_output, writing

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.analysis.position.trace_position import TracePosition
    from gradviz.export.graph.svg_figure import FigureFrame


FILMS = (".gif", ".mp4")

_THEME: Final = "light"


def export_graph(arguments: argparse.Namespace, index: TraceIndex, path: Path) -> str:
    """Write the graph at a position or at several steps; return what was written."""
    from gradviz.analysis.position.trace_position import TracePosition
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.film.film import FILM_SECONDS, FILM_SIZE
    from gradviz.export.graph.svg import draw_framed_figures, laid_out_graph
    from gradviz.export.graph.svg_figure import SvgStyle, arrange_frame

    drawing = laid_out_graph(index)
    ending = path.suffix.lower()
    steps = arguments.steps or ((1, None) if ending in FILMS else None)
    numbers = None if steps is None else _numbers(index, *steps)
    if numbers is not None:
        places = [TracePosition(step=number) for number in numbers]
    elif arguments.step is not None:
        places = [shown_position(arguments, index)]
    else:
        places = [TracePosition(step=len(index.trace.steps))]
    paths = [path]
    if numbers is not None and ending not in (".pdf", *FILMS):
        paths = _numbered(path, numbers)
    style = SvgStyle(
        paint=theme_paint(arguments.theme or _THEME),
        size=arguments.size or (FILM_SIZE if ending in FILMS else None),
        transparent=bool(arguments.transparent),
        bare=bool(arguments.bare),
    )
    frame = arrange_frame(drawing, places, style)
    figures = _with_progress(draw_framed_figures(drawing, places, style, frame), len(places))
    if ending in FILMS:
        return _write_film(path, figures, frame, arguments.seconds or FILM_SECONDS)
    _write_figures(arguments, path, paths, figures)
    if numbers is None:
        return str(path)
    if len(paths) > 1:
        return say_count("command.files", len(paths), first=paths[0], last=paths[-1])
    return say_count("command.pages", len(places), path=path) if paths == [path] else str(paths[0])


def export_slides(arguments: argparse.Namespace, index: TraceIndex, path: Path) -> str:
    """Write a slide for each step, or for some; return what was written."""
    from gradviz.cli.handout_export import run_slides, write_slides

    places = [str(each) for each in _numbers(index, *(arguments.steps or (1, None)))]
    if arguments.step is not None:
        shown_position(arguments, index)
        places = [str(arguments.step)]
    return write_slides(run_slides(index, places), path, arguments.theme or _THEME, path.stem)


def export_jacobians(arguments: argparse.Namespace, index: TraceIndex, path: Path) -> None:
    """Write the Jacobians of the last check.

    Raises:
        UsageError: If there is no check.
    """
    from gradviz.drawing.appearance.palette import theme_paint
    from gradviz.export.check.svg import check_svg
    from gradviz.text.titles import with_display_title

    trace = index.trace
    if not trace.reports:
        raise UsageError(say("command.no_checks", path=arguments.subject))
    report = with_display_title(trace.reports[-1], trace.origin)
    paint = theme_paint(arguments.theme or _THEME)
    transparent = bool(arguments.transparent)
    svg = check_svg(report, index.value, paint, size=arguments.size, transparent=transparent)
    _write_figures(arguments, path, [path], [svg])


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
            from gradviz.export.graph.svg_text import with_embedded_fonts, with_outlined_text

            finish = with_embedded_fonts if arguments.text == "font" else with_outlined_text
            for each, svg in zip(paths, svgs, strict=True):
                write_text(each, finish(svg))


def _write_film(path: Path, svgs: Iterable[str], frame: FigureFrame, seconds: float) -> str:
    """Render a picture of each step, and encode them; return what was written."""
    from gradviz.export.film.film import write_film
    from gradviz.host.svg_rendering import write_pngs

    steps = len(frame.tops)

    def tell(at: int) -> None:
        output.say_progress(say("command.encoding", done=at + 1, total=steps))

    with writing(path) as file:
        render = partial(write_pngs, scale=1, name=path)
        write_film(file, svgs, frame, render, tell, seconds=seconds, name=path)
    return say_count("command.film", steps, path=path, seconds=f"{steps * seconds:.10g}")


def _with_progress(figures: Iterable[str], total: int) -> Iterator[str]:
    """Yield the figures; if there are several, print how many are drawn so far."""
    for at, figure in enumerate(figures, 1):
        if total > 1:
            output.say_progress(say("command.drawing", done=at, total=total))
        yield figure


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


def shown_position(arguments: argparse.Namespace, index: TraceIndex) -> TracePosition:
    """The position that `--step` names; without it, the last step.

    Raises:
        UsageError: If the run has no such position.
    """
    from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path

    step = len(index.trace.steps) if arguments.step is None else arguments.step
    try:
        return position_at_path(index, str(step))
    except UnknownPositionError as error:
        raise UsageError(str(error)) from None


def write_text(path: Path, text: str) -> None:
    """Write a text file, replacing an older one only when all is written.

    Raises:
        UsageError: If it cannot be written.
    """
    with writing(path) as file:
        file.write_text(text, encoding="utf-8")

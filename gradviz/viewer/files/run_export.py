"""Writes the shown run to a file: its graph as a figure, as a page, or its tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressDialog, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.catalogue.messages import say_list
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError
from gradviz.export.film.film import FILM_SIZE, write_film
from gradviz.export.graph.svg import draw_framed_figures, laid_out_graph
from gradviz.export.graph.svg_figure import SvgStyle, arrange_frame
from gradviz.host.svg_rendering import write_pngs
from gradviz.store.replacement import replacing
from gradviz.viewer.background import BackgroundJob

if TYPE_CHECKING:
    from gradviz.analysis.compare.run_comparison import RunComparison
    from gradviz.viewer.trace_values import TraceReaderProtocol

GRAPH_SUFFIXES = (".svg", ".pdf", ".png", ".dot")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRun:
    """What the window shows when an export is requested; it may show something else later.

    Attributes:
        index: The trace.
        place: The position; None if there are no steps.
        level: The level of detail of the sentence.
        folds: Groups that the user opened and closed.
        comparison: The comparison with another run, if the Compare tab is shown.
        readers: The open traces of these runs.
    """

    index: TraceIndex
    place: TracePosition | None
    level: Level
    folds: FoldState
    comparison: RunComparison | None
    readers: tuple[TraceReaderProtocol, ...]


RunWriter = Callable[[ShownRun, Path], Sequence[str]]
"""Writes a run to a file; returns sentences on what the file lacks."""


def write_graph(run: ShownRun, path: Path) -> Sequence[str]:
    """Write the graph in the format that the file's suffix names.

    The file is for its owner: unlike the window, it shows hidden answers.

    Raises:
        ExportError: If the suffix is unknown, or the graph cannot be drawn.
        LayoutError: If the layout failed.
        OSError: If the file cannot be written.
        PictureError: If a PNG or PDF cannot be rendered.
    """
    from gradviz.export.graph.dot import graph_dot
    from gradviz.export.graph.svg_text import with_outlined_text
    from gradviz.host.svg_rendering import write_pdf, write_png

    match known_suffix(path, GRAPH_SUFFIXES):
        case ".dot":
            _write_text(path, graph_dot(run.index, folds=run.folds))
        case ".png":
            write_png(_svg(run), path)
        case ".pdf":
            write_pdf([_svg(run)], path, path.stem)
        case _:
            _write_text(path, with_outlined_text(_svg(run)))
    return ()


def _svg(run: ShownRun) -> str:
    from gradviz.export.graph.svg import graph_svg

    step = None if run.place is None else run.place.step
    return graph_svg(run.index, step, place=run.place, level=run.level, folds=run.folds)


def write_page(run: ShownRun, path: Path) -> Sequence[str]:
    """Write the run as an HTML page, with the comparison if that is shown.

    Raises:
        ExportError: If it cannot be drawn, or a run was closed meanwhile.
        LayoutError: If the layout failed.
        OSError: If the file cannot be written.
    """
    from gradviz.export.page.document import run_page

    # A page that shows a comparison opens with it.
    place = run.place if run.comparison is None else None
    page = run_page(run.index, place, run.comparison)
    # The values of a closed run would be missing from the page.
    if any(reader.is_closed for reader in run.readers):
        raise ExportError("export.closed")
    _write_text(path, page)
    return ()


def write_tensors(run: ShownRun, path: Path) -> Sequence[str]:
    """Write all tensors in the format that the file's suffix names.

    Raises:
        ExportError: If the suffix is unknown, there are no tensors, or the format cannot hold them.
        OSError: If the file cannot be written.
    """
    from gradviz.export.run_tensors.formats import TENSOR_WRITERS

    write = TENSOR_WRITERS[known_suffix(path, tuple(TENSOR_WRITERS))]
    with replacing(path) as file:
        table = write(file, run.index)
    return table.notes(path.name)


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")


def known_suffix(path: Path, suffixes: Sequence[str]) -> str:
    """Return the suffix of a file in lower case.

    Raises:
        ExportError: If it is none of some suffixes.
    """
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise ExportError("command.suffix", path=path.name, suffix=say_list(suffixes, "or"))
    return suffix


FILM_SUFFIXES = (".mp4", ".gif")

_STAGES = 3
"""Each step is drawn, rendered and encoded."""


def export_film(run: ShownRun, path: Path, job: BackgroundJob) -> Sequence[str]:
    """Write a film of all steps, as large and as fast as the command line's.

    The file is for its owner: unlike the window, it shows hidden answers.

    Args:
        run: The run.
        path: The file, whose suffix decides the format.
        job: Is told the progress, and ends the work if it is cancelled.

    Returns:
        Sentences on what the film lacks: none.

    Raises:
        ExportError: If the suffix is unknown, or there is nothing to draw.
        JobCancelledError: If the job is cancelled. The file is then as it was.
        LayoutError: If the layout failed.
        OSError: If the file cannot be written.
        PictureError: If a step cannot be rendered.
    """
    known_suffix(path, FILM_SUFFIXES)
    steps = len(run.index.trace.steps)
    if not steps:
        raise ExportError("page.no_steps")
    places = [TracePosition(step=number) for number in range(1, steps + 1)]
    style = SvgStyle(paint=theme_paint("light"), size=FILM_SIZE)
    drawing = laid_out_graph(run.index, folds=run.folds)
    frame = arrange_frame(drawing, places, style)

    def tell(stage: int, done: int) -> None:
        job.pause()
        job.report(stage * steps + done, _STAGES * steps)

    def drawn() -> Iterator[str]:
        for at, figure in enumerate(draw_framed_figures(drawing, places, style, frame)):
            tell(0, at)
            yield figure

    def render(svgs: Iterable[str], pictures: Sequence[Path]) -> None:
        def waiting() -> None:
            tell(1, sum(each.exists() for each in pictures))

        write_pngs(svgs, pictures, 1, name=path, waiting=waiting)

    with replacing(path) as file:
        write_film(file, drawn(), frame, render, lambda at: tell(2, at), name=path)
        job.commit()
    return ()


class FilmProgress(QProgressDialog):
    """Progress of a film; the button emits ``canceled``."""

    def __init__(self, path: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Export Film"))
        label = QLabel()
        # Otherwise Qt would guess whether a file's name is HTML.
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(self.tr("Exporting {0}").format(visible_text(path.name)))
        self.setLabel(label)
        self.setCancelButtonText(self.tr("Cancel"))
        self.setAutoReset(False)
        self.setAutoClose(False)
        self.setMinimumDuration(0)
        self.show_progress(0, 1)
        self.show()

    def show_progress(self, done: int, total: int) -> None:
        """Update the progress bar."""
        self.setMaximum(total)
        self.setValue(done)
